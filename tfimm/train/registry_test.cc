#include "tfimm/train/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "konfig/registry.h"
#include "tfimm/train/toys_test.h"

namespace registry_test {

struct ShapeConfig {
  int sides = 4;
};
struct Shape {
  using cfg_class = ShapeConfig;
  static constexpr std::string_view cfg_role = "shape";
  explicit Shape(const ShapeConfig& cfg) : sides(cfg.sides) {}
  int sides;
};
struct NeedsMore {
  using cfg_class = ShapeConfig;
  NeedsMore(const ShapeConfig&, int) {}
};
struct Clock {
  int epochs = 1;
};

// An Any without the name of its class.
struct LonelyConfig {
  tfimm::train::Any part;
};
struct Lonely {
  using cfg_class = LonelyConfig;
};

namespace first {
struct Twice {
  int a = 1;
};
}  // namespace first
namespace second {
struct Twice {
  int b = 1;
};
}  // namespace second

}  // namespace registry_test

CFG_SERIALIZABLE(toy::SimpleClass);
CFG_SERIALIZABLE(toy::Leaf);
CFG_SERIALIZABLE(toy::Other);
CFG_SERIALIZABLE(toy::Mid);
CFG_SERIALIZABLE(toy::Types);
CFG_SERIALIZABLE(registry_test::Shape);
CFG_SERIALIZABLE(registry_test::NeedsMore);
CFG_SERIALIZABLE(registry_test::Clock);
CFG_SERIALIZABLE(registry_test::Lonely);
CFG_SERIALIZABLE(registry_test::first::Twice);
CFG_SERIALIZABLE(registry_test::second::Twice);

namespace tfimm::train {
namespace {

using konfig::error_of;
using konfig::ErrorKind;
using konfig::expect_error;
using registry_test::Shape;
using registry_test::ShapeConfig;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Registry, AClassMakesAnObjectOfItsConfig) {
  const Any cfg = ShapeConfig{.sides = 6};
  EXPECT_EQ(get_class("Shape")(cfg).as<Shape>().sides, 6);
  EXPECT_EQ(get_class("Shape").cfg_class()->name, "ShapeConfig");
  const std::shared_ptr<Shape> shared = get_class("Shape")(cfg).share<Shape>();
  EXPECT_EQ(shared->sides, 6);
}

TEST(Registry, ClassAndConfigAreKnownByName) {
  EXPECT_EQ(get_cfg_class("Shape")->name, "ShapeConfig");
  EXPECT_EQ(get_cfg_class("ShapeConfig")->name, "ShapeConfig");
  EXPECT_EQ(get_cfg_class("Clock")->name, "Clock");
  expect_error(ErrorKind::key, {"'ShapeConfig' is a config"}, [] { get_class("ShapeConfig"); });
  expect_error(ErrorKind::key, {"'Clock' is a config"}, [] { get_class("Clock"); });
}

TEST(Registry, AnUnknownNameListsTheRegisteredAndTheNearest) {
  expect_error(
      ErrorKind::key,
      {"no class is registered as 'Shap'", "did you mean 'Shape'?", "Clock", "ShapeConfig"},
      [] { get_cfg_class("Shap"); });
  expect_error(ErrorKind::key, {"no class is chosen"}, [] { get_class(""); });
  for (const char* name : {"a:b", "tfimm.train:Shape", "."}) {
    expect_error(ErrorKind::key, {"no class is registered"}, [&] { get_cfg_class(name); });
  }
}

TEST(Registry, ANameThatIsTakenIsAnErrorWithBothPlaces) {
  const std::string error = konfig::error_of([] { get_cfg_class("Twice"); });
  EXPECT_THAT(error, ::testing::MatchesRegex(
                         "Twice is registered twice: at .*registry_test.cc:[0-9]+ and at "
                         ".*registry_test.cc:[0-9]+; give one of them another name"));
  ClassEntry entry{.name = "Shape", .cfg_class = describe<ShapeConfig>(), .place = "other.cc:3"};
  expect_error(ErrorKind::value, {"registry_test.cc:", "other.cc:3"},
               [&] { cfg_serializable(entry); });
  EXPECT_EQ(get_class("Shape")(ShapeConfig{}).as<Shape>().sides, 4);  // the first one stays
}

TEST(Registry, TheSamePlaceMayRegisterAgain) {
  const auto cls = make_config_class("ReloadedConfig", {{.name = "a", .type = FieldType::integer}});
  const auto later = make_config_class("ReloadedConfig", {{.name = "b", .type = FieldType::text}});
  cfg_serializable({.name = "Reloaded", .cfg_class = cls, .place = "own.cc:1"});
  cfg_serializable({.name = "Reloaded", .cfg_class = later, .place = "own.cc:1"});
  EXPECT_EQ(get_cfg_class("Reloaded")->fields[0].name, "b");
  EXPECT_EQ(get_cfg_class("ReloadedConfig")->fields[0].name, "b");
}

TEST(Registry, AWrongConfigIsRefused) {
  expect_error(ErrorKind::type, {"Shape is configured by a ShapeConfig, not by a LeafConfig"},
               [] { get_class("Shape")(toy::LeafConfig{}); });
  expect_error(ErrorKind::type, {"not by None"}, [] { get_class("Shape")(nullptr); });
  expect_error(ErrorKind::type, {"expected a ", "NeedsMore", "Shape"},
               [] { get_class("Shape")(ShapeConfig{}).as<registry_test::NeedsMore>(); });
}

TEST(Registry, AWrongClassIsReportedWhenItIsUsed) {
  expect_error(ErrorKind::value, {"LonelyConfig.part", "needs a text field part_class"},
               [] { get_cfg_class("Lonely"); });
}

TEST(Registry, TheTableIsKonfigs) {
  const konfig::Symbol& config = konfig::get_symbol("tfimm.train:ShapeConfig");
  ASSERT_TRUE(config.type);
  EXPECT_EQ(config.type->fields[0].name, "sides");
  EXPECT_EQ(konfig::get_symbol("tfimm.train:Shape").type, config.type);
  // Written as a config of konfig it has this name.
  EXPECT_EQ(konfig::lower(ShapeConfig{}).qualname(), "tfimm.train:ShapeConfig");
}

TEST(Registry, RolesChooseWhatIsOffered) {
  EXPECT_THAT(class_names("shape"), ElementsAre("Shape"));
  EXPECT_THAT(error_of([] { get_cfg_class_for("shape", "Clok"); }),
              ::testing::AllOf(HasSubstr("no class is registered as 'Clok' (registered: Shape)"),
                               Not(HasSubstr("did you mean"))));
  EXPECT_THAT(class_names("outer_shape"), ElementsAre("Shape"));
  EXPECT_THAT(class_names("clock"), Contains("Clock"));
  EXPECT_THAT(class_names("clock"), Contains("Leaf"));
  EXPECT_THAT(class_names("clock"), Not(Contains("LeafConfig")));
  EXPECT_THAT(class_names("clock"), Not(Contains("Shape")));
}

}  // namespace
}  // namespace tfimm::train
