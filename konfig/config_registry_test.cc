#include "konfig/config_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "konfig/toy_test.h"

namespace registry_test {

using namespace konfig;
using toy::Trainer;

struct ConfigArgs {
  int steps = 10;
  std::string name = "run";
};
static Config<Trainer> get_config(const ConfigArgs& args) {
  Config<Trainer> cfg;
  cfg.num_train_steps = args.steps;
  cfg.workdir = args.name;
  return cfg;
}
static Config<Trainer> plain_config() { return {}; }
static ConfigDict dynamic_config() { return call("toy:Trainer", {{"seed", 1}}); }

}  // namespace registry_test

KONFIG_EXPORT(registry_test::get_config)
KONFIG_CONFIG("with_args", registry_test::get_config);
KONFIG_CONFIG("plain", registry_test::plain_config);
KONFIG_CONFIG("dynamic", registry_test::dynamic_config);

namespace registry_test {
namespace {

TEST(ConfigRegistry, ConfigsByName) {
  EXPECT_THAT(all_configs(), testing::IsSupersetOf({"dynamic", "plain", "with_args"}));
  EXPECT_EQ(find_config("nothing"), nullptr);
  auto* entry = find_config("with_args");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->args->fields.size(), 2u);
  EXPECT_EQ(entry->make(None())["num_train_steps"].get(), Value(10));
  auto cfg = entry->make(Dict{{"steps", 3}, {"name", "x"}});
  EXPECT_EQ(cfg["num_train_steps"].get(), Value(3));
  EXPECT_EQ(cfg["workdir"].get(), Value("x"));
  expect_error_at(ErrorKind::type, "cfg.__args__.steps: expected a whole number", [&] {
    entry->make(Dict{{"steps", "many"}});
  });
  expect_error_at(ErrorKind::type, "cfg.__args__.step: ", [&] { entry->make(Dict{{"step", 1}}); });
  EXPECT_EQ(find_config("plain")->args, nullptr);
  EXPECT_EQ(find_config("plain")->make(Dict{}).qualname(), "toy:Trainer");
  expect_error(ErrorKind::type, {"takes no arguments"}, [] {
    find_config("plain")->make(Dict{{"x", 1}});
  });
  EXPECT_EQ(find_config("dynamic")->make(None())["seed"].get(), Value(1));
}

TEST(ConfigRegistry, ExportedEntry) {
  auto* entry = konfig_config_entry();
  EXPECT_STREQ(entry->build_id, kBuildId);
  EXPECT_EQ(entry->make(Dict{{"steps", 4}})["num_train_steps"].get(), Value(4));
}

}  // namespace
}  // namespace registry_test
