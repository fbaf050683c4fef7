#include "tfimm/train/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "tfimm/train/registry.h"
#include "tfimm/train/toys_test.h"

namespace tfimm::train {
namespace {

using konfig::ErrorKind;
using konfig::expect_error;
using konfig::Tuple;
using ::testing::ElementsAre;

TEST(ConfigClass, AStructDescribesItself) {
  const ConfigClassPtr outer = describe<toy::Outer>();
  std::vector<std::string> fields;
  for (const Field& f : outer->fields) fields.push_back(f.name + ": " + type_name(f));
  EXPECT_THAT(fields, ElementsAre("n: Any", "n_class: str", "lr: float", "cfg_file: str"));
  EXPECT_FALSE(outer->find("n_class")->default_value);
  EXPECT_EQ(*outer->find("lr")->default_value, Value(0.5));
  EXPECT_EQ(outer->chosen_by(*outer->find("n_class")), outer->find("n"));
  EXPECT_EQ(outer->class_field(*outer->find("n")), outer->find("n_class"));
}

TEST(ConfigClass, EveryTypeOfField) {
  const ConfigClassPtr types = describe<toy::TypesConfig>();
  auto type = [&](const char* name) { return type_name(*types->find(name)); };
  EXPECT_EQ(type("size"), "Size");
  EXPECT_EQ(type("most"), "int");
  EXPECT_TRUE(types->find("most")->nullable);
  EXPECT_EQ(type("rates"), "tuple");
  EXPECT_EQ(type("mixed"), "tuple");
  EXPECT_EQ(*types->find("mixed")->default_value, Value(Tuple{1, "x", true}));
  EXPECT_EQ(*types->find("small")->default_value, Value(0.1));
}

TEST(ConfigClass, OneMadeAtRunTimeIsChecked) {
  const Field any{.name = "x", .type = FieldType::any};
  expect_error(ErrorKind::type, {"Broken.x", "x_class"},
               [&] { make_config_class("Broken", {any}); });
  expect_error(ErrorKind::value, {"two fields 'a'"}, [] {
    make_config_class("Broken", {{.name = "a"}, {.name = "a"}});
  });
  expect_error(ErrorKind::value, {"names have no dots"},
               [] { make_config_class("Broken", {{.name = "a.b"}}); });
}

TEST(Formats, EveryTypeComesBack) {
  toy::TypesConfig cfg{.size = {.width = 2, .height = 3},
                       .most = 5,
                       .title = "t",
                       .rates = {1, 0.5},
                       .names = {"a", "b"},
                       .mixed = {2, "y", false},
                       .table = {{1}, {}, {2, 3}},
                       .mask = {true, false},
                       .betas = {0.8, 0.5},
                       .range = {3, 4},
                       .small = 0.3F,
                       .byte = 255};
  const Dict nested = to_dict_format(cfg);
  EXPECT_EQ(Value(nested.at("size")), Value(Dict{{"width", 2}, {"height", 3}}));
  EXPECT_EQ(nested.at("table"), Value(Tuple{Tuple{1}, Tuple{}, Tuple{2, 3}}));
  EXPECT_EQ(nested.at("small"), Value(0.3));
  EXPECT_TRUE(same(cfg, from_dict<toy::TypesConfig>(nested)));
  EXPECT_TRUE(same(cfg, from_dict<toy::TypesConfig>(flat_to_deep(deep_to_flat(nested)))));
}

TEST(Formats, ARequiredFieldThatIsNotGivenIsAnError) {
  expect_error(ErrorKind::required, {"SimpleConfig needs 'f', 'b', 's', 't'"},
               [] { to_dict_format(toy::SimpleConfig{.i = 1}); });
  expect_error(ErrorKind::required, {"SimpleConfig needs 'i', 'f', 'b', 's', 't'"}, [] {
    to_cls_format({{"n", Dict{}}, {"n_class", "SimpleClass"}});
  });
  expect_error(ErrorKind::required, {"Outer needs 'n_class'"}, [] {
    from_dict<toy::Outer>({{"lr", 1}});
  });
}

TEST(Formats, WrongValuesAreErrorsWithTheirPlace) {
  auto leaf = [](const Value& a) {
    return Dict{{"n", Dict{{"m", Dict{{"a", a}}}, {"m_class", "Leaf"}}}, {"n_class", "Mid"}};
  };
  EXPECT_EQ(Value(to_dict_format(to_cls_format(leaf(4)))).as<Dict>().size(), 2u);
  expect_error(ErrorKind::type, {"cfg.n.m.a", "expected a whole number, got \"x\""},
               [&] { to_cls_format(leaf("x")); });
  expect_error(ErrorKind::type, {"cfg.n.m.a", "got 1.5"}, [&] { to_cls_format(leaf(1.5)); });
  expect_error(ErrorKind::type, {"got True"}, [&] { to_cls_format(leaf(true)); });
  expect_error(ErrorKind::type, {"got None"}, [&] { to_cls_format(leaf(nullptr)); });
  expect_error(ErrorKind::value, {"cfg.n.m.a", "from -2147483648 to 2147483647"},
               [&] { to_cls_format(leaf(std::int64_t{1} << 40)); });
  expect_error(ErrorKind::key, {"LeafConfig has no field 'nam'; did you mean 'name'?"}, [] {
    to_cls_format({{"n", Dict{{"nam", 1}}}, {"n_class", "Leaf"}});
  });
  expect_error(ErrorKind::type, {"names[1]", "expected text, got 3"}, [] {
    from_dict<toy::TypesConfig>({{"names", Tuple{"a", 3}}});
  });
  expect_error(ErrorKind::type, {"expected a config or a map, got 5"}, [] { to_dict_format(5); });
}

TEST(Formats, NestingNeedsTheNameOfAClass) {
  expect_error(ErrorKind::key, {"'n_class'"}, [] { to_cls_format({{"n", Dict{{"a", 1}}}}); });
  expect_error(ErrorKind::value, {"n", "'n_class'"}, [] { check_format({{"n", Dict{{"a", 1}}}}); });
  const Dict none = to_cls_format({{"n", Dict{{"a", 1}}}, {"n_class", ""}});
  EXPECT_TRUE(none.at("n").is_none());
  // A field that is a struct has its class from its declaration.
  const auto types = from_dict<toy::TypesConfig>({{"size", Dict{{"height", 9}}}});
  EXPECT_EQ(types.size.height, 9);
  expect_error(ErrorKind::key, {"Size has no field 'depth'"}, [] {
    from_dict<toy::TypesConfig>({{"size", Dict{{"depth", 9}}}});
  });
}

TEST(Formats, AKeyIsAValueOrAMap) {
  for (const Dict& cfg :
       {Dict{{"a", 1}, {"a.b", 2}}, Dict{{"a.b", 2}, {"a", 1}}, Dict{{"a.b", 1}, {"a.b.c", 2}},
        Dict{{"a", Dict{{"b", 1}}}, {"a.b.c", 2}}}) {
    expect_error(ErrorKind::key, {"it cannot be both"}, [&] { flat_to_deep(cfg); });
  }
  expect_error(ErrorKind::key, {"'a.b' is given twice"}, [] {
    flat_to_deep({{"a", Dict{{"b", 1}}}, {"a.b", 2}});
  });
  EXPECT_EQ(Value(flat_to_deep({{"a", Dict{{"b", 1}}}, {"a.c", 2}})),
            Value(Dict{{"a", Dict{{"b", 1}, {"c", 2}}}}));
}

TEST(Formats, ConversionsLeaveTheirArgumentAlone) {
  const Dict flat = {{"a.b", 1}, {"a.c", 2}};
  const Dict deep = {{"a", Dict{{"b", 1}}}, {"a.c", 2}};
  flat_to_deep(flat);
  flat_to_deep(deep);
  EXPECT_EQ(Value(flat), Value(Dict{{"a.b", 1}, {"a.c", 2}}));
  EXPECT_EQ(Value(deep), Value(Dict{{"a", Dict{{"b", 1}}}, {"a.c", 2}}));
}

TEST(Formats, DeepMapsAreRefusedRatherThanExhaustTheStack) {
  Dict deep;
  std::string key = "a";
  for (int i = 0; i < 5000; ++i) {
    Dict outer;
    outer.set("a", deep);
    deep = outer;
    key += ".a";
  }
  expect_error(ErrorKind::cycle, {"nested deeper"}, [&] { deep_to_flat(deep); });
  expect_error(ErrorKind::cycle, {"nested deeper"}, [&] { to_dict_format(deep); });
  expect_error(ErrorKind::cycle, {"nested deeper"}, [&] { flat_to_deep({{key, 1}}); });
}

TEST(Any, IsAValue) {
  Any a = toy::LeafConfig{.a = 1};
  Any b = a;
  b.as<toy::LeafConfig>().a = 2;
  EXPECT_EQ(a.as<toy::LeafConfig>().a, 1);
  EXPECT_FALSE(a == b);
  EXPECT_EQ(Any(), Any(nullptr));
  EXPECT_FALSE(a == Any());
  EXPECT_TRUE(a.holds<toy::LeafConfig>());
  expect_error(ErrorKind::type, {"expected toy::OtherConfig, got toy::LeafConfig"},
               [&] { a.as<toy::OtherConfig>(); });
  expect_error(ErrorKind::type, {"expected a config or None, got 5"}, [] { Any::from_value(5); });
}

TEST(Formats, PrettyPrinting) {
  const toy::Outer cfg{.n = toy::LeafConfig{}, .n_class = "Leaf"};
  EXPECT_EQ(pprint(cfg),
            "  n:\n    a=2\n    b=2.5\n    name=leaf\n  n_class=Leaf\n  lr=0.5\n  cfg_file=\n");
}

}  // namespace
}  // namespace tfimm::train
