// Config flags: reading them and applying them.
#include "flags/config_flag.h"

#include <gtest/gtest.h>

#include "konfig/config.h"
#include "konfig/konfig.h"

namespace flags {
namespace {

using namespace konfig;
using Args = std::vector<std::string>;

ConfigDict sample() {
  ConfigDict cfg{{"seed", 42},
                 {"lr", 0.001},
                 {"name", "base"},
                 {"flag", false},
                 {"none", nullptr},
                 {"tup", Tuple{1, 2}},
                 {"lst", List{1, 2, 3}},
                 {"aux", Dict{{"dim", 16}}},
                 {"model", call("flax.linen:Dense", {{"features", 16}})}};
  cfg["twice"] = cfg.ref("aux")["dim"] * 2;
  return cfg;
}

// The config after `flags`, as JSON of one field.
std::string after(Args flags, const char* field, Args* rest = nullptr) {
  flags.insert(flags.begin(), "--cfg=x");
  auto flag = take_config_flag(flags);
  auto cfg = sample();
  apply_overrides(cfg, flag, flags);
  if (rest) *rest = flags;
  return to_json(cfg.get(field));
}

ErrorKind error_of(Args flags, std::string* text = nullptr) {
  try {
    after(std::move(flags), "seed");
  } catch (const Error& e) {
    if (text) *text = e.what();
    return e.kind();
  }
  ADD_FAILURE() << "no error";
  return ErrorKind::unsupported;
}

TEST(ConfigFlag, TakesItsFlagsAndLeavesTheRest) {
  Args args{"show", "--cfg=file.py:a=1", "--cfg.seed=7", "--format=json", "--nocfg.flag",
            "--",   "--cfg.x=1"};
  auto flag = take_config_flag(args);
  EXPECT_EQ(flag.source, "file.py");
  EXPECT_EQ(flag.args, "a=1");
  EXPECT_EQ(flag.text, "file.py:a=1");
  ASSERT_EQ(flag.overrides.size(), 2u);
  EXPECT_EQ(flag.overrides[0].path, "seed");
  EXPECT_EQ(flag.overrides[1].value, Value(false));
  EXPECT_EQ(args, (Args{"show", "--format=json", "--", "--cfg.x=1"}));
}

TEST(ConfigFlag, ASpaceMaySeparateTheSource) {
  Args args{"--cfg", "file.py", "more"};
  EXPECT_EQ(take_config_flag(args).source, "file.py");
  EXPECT_EQ(args, (Args{"more"}));
}

TEST(ConfigFlag, OtherNamesWork) {
  Args args{"--xp=a", "--xp.b=1", "--cfg=c"};
  auto flag = take_config_flag(args, "xp");
  EXPECT_EQ(flag.overrides.at(0).path, "b");
  EXPECT_EQ(args, (Args{"--cfg=c"}));
}

TEST(ConfigFlag, OrderMatters) {
  Args before{"--cfg.seed=1", "--cfg=x"}, none{"--cfg.seed=1"},
      twice{"--cfg=x", "--cfg.seed=1", "--cfg=y"};
  EXPECT_THROW(take_config_flag(before), Error);
  EXPECT_THROW(take_config_flag(none), Error);
  EXPECT_THROW(take_config_flag(twice), Error);
  Args with_default{"--cfg.seed=1"};
  EXPECT_EQ(take_config_flag(with_default, "cfg", "x").overrides.size(), 1u);
}

TEST(ConfigFlag, OverlapsAndBadPathsAreRefused) {
  for (auto& flags : std::vector<Args>{{"--cfg.aux={}", "--cfg.aux.dim=1"},
                                       {"--cfg.aux.dim=1", "--cfg.aux={}"},
                                       {"--cfg.lst[0:2]=1"},
                                       {"--cfg.aux.*=1"},
                                       {"--cfg.=1"},
                                       {"--cfg.a..b=1"}}) {
    EXPECT_EQ(error_of(flags), ErrorKind::value) << flags[0];
  }
}

TEST(ConfigFlag, ValuesAreReadInFavourOfTheField) {
  EXPECT_EQ(after({"--cfg.seed=7"}, "seed"), "7");
  EXPECT_EQ(after({"--cfg.seed=1e3"}, "seed"), "1000");
  EXPECT_EQ(after({"--cfg.seed=None"}, "seed"), "null");
  EXPECT_EQ(after({"--cfg.lr=1"}, "lr"), "1.0");
  EXPECT_EQ(after({"--cfg.lr=nan"}, "lr"), "NaN");
  EXPECT_EQ(after({"--cfg.name=12"}, "name"), "\"12\"");
  EXPECT_EQ(after({"--cfg.name=\"12\""}, "name"), "\"12\"");
  EXPECT_EQ(after({"--cfg.name=true"}, "name"), "\"true\"");
  EXPECT_EQ(after({"--cfg.flag=1"}, "flag"), "true");
  EXPECT_EQ(after({"--cfg.flag"}, "flag"), "true");
  EXPECT_EQ(after({"--cfg.tup=[3,4]"}, "tup"), "[3, 4]");
  EXPECT_EQ(after({"--cfg.lst[-1]=9"}, "lst"), "[1, 2, 9]");
  EXPECT_EQ(after({"--cfg.aux.new=5"}, "aux"), "{\"dim\": 16, \"new\": 5}");
  EXPECT_EQ(after({"--cfg.aux.dim=5"}, "twice"), "10");
  EXPECT_EQ(after({"--cfg.model=py::nn.Dense(12)"}, "model"),
            "{\"__qualname__\": \"flax.linen:Dense\", \"0\": 12}");
  EXPECT_EQ(after({"--cfg.model.__qualname__=flax.linen:Conv"}, "model"),
            "{\"__qualname__\": \"flax.linen:Conv\", \"features\": 16}");
  EXPECT_EQ(after({"--cfg.seed=1", "--cfg.seed=2"}, "seed"), "2");
}

TEST(ConfigFlag, ABareFlagTakesTheNextWordWhenTheFieldIsNoBoolean) {
  Args rest;
  EXPECT_EQ(after({"--cfg.seed", "7", "other"}, "seed", &rest), "7");
  EXPECT_EQ(rest, (Args{"other"}));
  EXPECT_EQ(after({"--cfg.flag", "other"}, "flag", &rest), "true");
  EXPECT_EQ(rest, (Args{"other"}));
  EXPECT_EQ(after({"--cfg.name", "12"}, "name", &rest), "\"12\"");
}

TEST(ConfigFlag, ErrorsNameTheFlagAndTheNearestField) {
  std::string text;
  EXPECT_EQ(error_of({"--cfg.seed=text"}, &text), ErrorKind::type);
  EXPECT_TRUE(text.starts_with("--cfg.seed=text: ")) << text;
  EXPECT_EQ(error_of({"--cfg.modle.features=1"}, &text), ErrorKind::key);
  EXPECT_NE(text.find("model"), text.npos) << text;
  EXPECT_EQ(error_of({"--cfg.name"}), ErrorKind::type);
}

}  // namespace
}  // namespace flags
