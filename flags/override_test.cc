// Overrides of fields whose type is declared, of references, placeholders and lists.
#include <gtest/gtest.h>

#include "flags/config_flag.h"
#include "konfig/config.h"
#include "konfig/konfig.h"

namespace flags_test {
struct Node {
  int size = 1;
};
struct Inner {
  Node node = {.size = 7};
  int depth = 2;
};
struct Around {
  static constexpr std::string_view konfig_raw_fields[] = {"env"};
  Inner inner = {};
  konfig::Map<int> sizes = {};
  konfig::ConfigDict env = {};
};
struct Layer {
  int features = 1;
  double rate = 0.5;
  std::optional<std::string> name = {};
  std::vector<std::string> keys = {};
  std::variant<double, konfig::Poly<Node>> scale = 1.0;
};
}  // namespace flags_test
KONFIG_REGISTER(flags_test::Layer);
KONFIG_REGISTER(flags_test::Node);
KONFIG_REGISTER(flags_test::Inner);
KONFIG_REGISTER(flags_test::Around);

namespace flags {
namespace {

using namespace konfig;
using Args = std::vector<std::string>;

// The value at `field` after the flags.
Value after(ConfigDict cfg, Args flags, const char* field, Args* rest = nullptr) {
  flags.insert(flags.begin(), "--cfg=x");
  auto flag = take_config_flag(flags);
  apply_overrides(cfg, flag, flags);
  if (rest) *rest = flags;
  return cfg.get(field);
}

// What the flag records of its first override.
Value recorded(ConfigDict cfg, Args flags) {
  flags.insert(flags.begin(), "--cfg=x");
  auto flag = take_config_flag(flags);
  apply_overrides(cfg, flag, flags);
  return override_values(flag).begin()->second;
}

ConfigDict layer(const Dict& fields = {}) {
  auto out = call("flags_test:Layer");
  out.update(fields);
  return out;
}

// What a config leaves out is there all the same, with the values that its struct gives it.
TEST(Override, AFieldOfWhatIsLeftOut) {
  const Value inner = after(call("flags_test:Around"), {"--cfg.inner.depth=5"}, "inner");
  EXPECT_EQ(inner.repr(), "<ConfigDict[flags_test.Inner(depth=5)]>");
  const Value node = after(call("flags_test:Around"), {"--cfg.inner.node.size=9"}, "inner");
  EXPECT_EQ(node.repr(), "<ConfigDict[flags_test.Inner(node=flags_test.Node(size=9))]>");
  const Value kept = after(call("flags_test:Around"), {"--cfg.inner.node.size=7"}, "inner");
  EXPECT_EQ(kept.repr(), "<ConfigDict[flags_test.Inner(node=flags_test.Node(size=7))]>");
  const Value sizes =
      after(call("flags_test:Around"), {"--cfg.sizes.a=5", "--cfg.sizes.b=6"}, "sizes");
  EXPECT_EQ(sizes.as<ConfigDict>().to_dict().size(), 2u);
  EXPECT_EQ(sizes.as<ConfigDict>().get("b"), Value(6));
  const Value env = after(call("flags_test:Around"), {"--cfg.env.A=b"}, "env");
  EXPECT_EQ(env.as<ConfigDict>().get("A"), Value("b"));
  EXPECT_THROW(after(call("flags_test:Around"), {"--cfg.inner.dept=5"}, "inner"), Error);
  EXPECT_THROW(after(call("flags_test:Around"), {"--cfg.other.depth=5"}, "inner"), Error);
}

// As in a JSON file.
TEST(Override, TypesByTheNamesThatPeopleWrite) {
  EXPECT_EQ(after(call("flags_test:Around"),
                  {R"(--cfg.inner={"__qualname__": "flags_test.Inner", "depth": 3})"}, "inner")
                .repr(),
            "<ConfigDict[flags_test.Inner(depth=3)]>");
  EXPECT_EQ(
      after(ConfigDict{{"a", None()}}, {R"(--cfg.a={"__qualname__": "flags_test.Inner"})"}, "a")
          .as<ConfigDict>()
          .qualname(),
      "flags_test:Inner");
}

// A field that the config gives by position keeps its place.
TEST(Override, AFieldGivenByPosition) {
  ConfigDict cfg = layer();
  cfg["layer"] = call("flags_test:Layer", std::vector<Value>{32, 0.25});
  EXPECT_EQ(after(cfg.copy(), {"--cfg.layer.rate=0.75"}, "layer").repr(),
            "<ConfigDict[flags_test.Layer(32, 0.75)]>");
  EXPECT_EQ(after(cfg.copy(), {"--cfg.layer.rate=1"}, "layer").as<ConfigDict>()[1].get().repr(),
            "1.0");
  EXPECT_EQ(after(cfg.copy(), {"--cfg.layer.name=a"}, "layer").repr(),
            "<ConfigDict[flags_test.Layer(32, 0.25, name='a')]>");
}

TEST(Override, TheDeclaredTypeCounts) {
  EXPECT_EQ(after(layer(), {"--cfg.name=12"}, "name"), Value("12"));
  EXPECT_EQ(after(layer(), {"--cfg.features=1e3"}, "features").repr(), "1000");
  // A whole number happens to stand where any number may.
  EXPECT_EQ(after(layer({{"rate", 1}}), {"--cfg.rate=0.25"}, "rate"), Value(0.25));
  EXPECT_EQ(after(layer({{"scale", 2}}), {"--cfg.scale=nan"}, "scale").repr(), "nan");
  EXPECT_EQ(after(layer({{"scale", 2}}), {"--cfg.scale=py::flags_test.Node(3)"}, "scale").repr(),
            "<ConfigDict[flags_test.Node(3)]>");
  EXPECT_EQ(after(layer({{"keys", List{"a"}}}), {"--cfg.keys[0]=12"}, "keys").repr(), "['12']");
}

TEST(Override, AMistakeSaysHowItIsWritten) {
  auto message = [](const ConfigDict& cfg, const std::string& flag) {
    try {
      after(cfg.copy(), {flag}, "rate");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  auto expect_end = [](const std::string& text, const std::string& end) {
    EXPECT_TRUE(text.ends_with(end)) << text;
  };
  expect_end(message(layer({{"rate", 1}}), "--cfg.rate=fast"), "; give it a number, such as 0.001");
  const ConfigDict free = {{"n", 1},
                           {"list", List{"a"}},
                           {"dict", Dict{{"a", 1}}},
                           {"node", call("flags_test:Node", {{"size", 1}})}};
  expect_end(message(free, "--cfg.n=many"), "; give it a whole number");
  expect_end(message(free, "--cfg.list=a"), R"(; give it a list, such as '["a", "b"]')");
  expect_end(message(free, "--cfg.dict=a"), R"(; give it a dict, such as '{"a": 1}')");
  expect_end(message(free, "--cfg.node=a"),
             "; give it an object, such as 'py::flags_test.Node(...)'");
  expect_end(message(layer(), "--cfg.xyzzy=1"), "; it has: features, rate, name, keys, scale");
}

TEST(Override, AFieldThatTheTypeDoesNotHaveIsAMistake) {
  try {
    after(layer(), {"--cfg.featurs=3"}, "features");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::key);
    EXPECT_NE(std::string(e.what()).find("did you mean 'features'"), std::string::npos) << e.what();
  }
}

TEST(Override, ReferencesAndItemsTakeAnything) {
  ConfigDict cfg{{"a", 1}, {"items", List{1, "x"}}};
  cfg["b"] = cfg.ref("a") + 1;
  EXPECT_EQ(after(cfg.copy(), {"--cfg.b=text"}, "b"), Value("text"));
  EXPECT_EQ(after(cfg.copy(), {"--cfg.b=1e3"}, "b").repr(), "1000.0");
  EXPECT_EQ(after(cfg.copy(), {"--cfg.items[0]=1e3", "--cfg.items[1]=2"}, "items").repr(),
            "[1000.0, 2]");
}

TEST(Override, PlaceholdersTakeTheReadingOfTheirType) {
  ConfigDict cfg;
  cfg["text"] = placeholder(CellType::text);
  cfg["whole"] = placeholder(CellType::integer);
  cfg["flag"] = placeholder(CellType::boolean);
  EXPECT_EQ(after(cfg.copy(), {"--cfg.text=5"}, "text"), Value("5"));
  EXPECT_EQ(after(cfg.copy(), {"--cfg.whole=1e3"}, "whole").repr(), "1000");
  EXPECT_EQ(after(cfg.copy(), {"--cfg.flag=1"}, "flag").repr(), "True");
  EXPECT_THROW(after(cfg.copy(), {"--cfg.whole=1.5"}, "whole"), Error);
}

// Configs of the reference have a number there.
TEST(Override, ARunToStartFromIsANumberOrAFolder) {
  ConfigDict cfg{{"aux", Dict()}};
  cfg["aux"]["xid"] = placeholder(CellType::integer);
  EXPECT_EQ(to_json(after(cfg.copy(), {"--cfg.aux.xid=17"}, "aux")), R"({"xid": 17})");
  EXPECT_EQ(to_json(after(cfg.copy(), {"--cfg.aux.xid=runs/a"}, "aux")), R"({"xid": "runs/a"})");
}

TEST(Override, KeysAsTheConfigSpellsThem) {
  ConfigDict cfg{{"items", List{1, 2}}, {"0", "zero"}, {"map", Dict{{"5", 5}}}};
  EXPECT_EQ(after(cfg.copy(), {"--cfg.items['1']=7"}, "items").repr(), "[1, 7]");
  EXPECT_EQ(after(cfg.copy(), {"--cfg.items.0=7"}, "items").repr(), "[7, 2]");
  EXPECT_EQ(after(cfg.copy(), {"--cfg.0=one"}, "0"), Value("one"));
  EXPECT_EQ(after(cfg.copy(), {"--cfg['0']=one"}, "0"), Value("one"));
  EXPECT_EQ(to_json(after(cfg.copy(), {"--cfg.map[5]=6", "--cfg.map[6]=7"}, "map")),
            R"({"5": 6, "__raw__=6": 7})");
}

TEST(Override, AWordBehindABareFlag) {
  ConfigDict cfg{{"n", 1}, {"node", layer()}, {"none", nullptr}};
  Args rest;
  EXPECT_EQ(after(cfg.copy(), {"--cfg.n", "-7", "x"}, "n", &rest), Value(-7));
  EXPECT_EQ(rest, Args{"x"});
  EXPECT_EQ(after(cfg.copy(), {"--cfg.node", "None"}, "node"), Value());
  EXPECT_EQ(after(cfg.copy(), {"--cfg.none", "x"}, "none", &rest), Value(true));
  EXPECT_EQ(rest, Args{"x"});
  EXPECT_EQ(after(cfg.copy(), {"--cfg.n", "--other"}, "n").repr(), "True");
}

TEST(Override, SwitchesAreForBooleans) {
  for (const char* flag : {"--cfg.features", "--nocfg.rate", "--cfg.name"}) {
    try {
      after(layer(), {flag}, "features");
      ADD_FAILURE() << flag;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::type);
      EXPECT_TRUE(std::string(e.what()).starts_with(flag)) << e.what();
    }
  }
  // A field of no declared type takes them, as in Kauldron.
  EXPECT_EQ(after(ConfigDict{{"n", 1}}, {"--nocfg.n"}, "n").repr(), "False");
}

TEST(Override, RecordsWhatWasUnderstood) {
  ConfigDict cfg{{"n", 1}, {"s", "x"}};
  EXPECT_EQ(recorded(cfg.copy(), {"--cfg.s=12"}), Value("12"));
  EXPECT_EQ(recorded(cfg.copy(), {"--cfg.n", "7"}).repr(), "7");
  EXPECT_EQ(recorded(cfg.copy(), {"--cfg.new=py::m.F()"}), Value("py::m.F()"));
}

TEST(Override, ValuesForFunctionsOfTheConfig) {
  const ConfigDict cfg{{"n", 1}, {"s", "x"}};
  Args args{"--cfg=x", "--cfg.s=12", "--cfg.new=py::m.F()", "--cfg.n", "3"};
  const auto flag = take_config_flag(args);
  EXPECT_EQ(to_json(overridden_values(cfg, flag, args)),
            R"({"s": "12", "new": {"__qualname__": "m:F"}, "n": 3})");
  EXPECT_EQ(cfg.get("s"), Value("x"));
  Args wrong{"--cfg=x", "--cfg.n=fast"};
  EXPECT_EQ(overridden_values(cfg, take_config_flag(wrong), wrong).size(), 0u);
}

}  // namespace
}  // namespace flags
