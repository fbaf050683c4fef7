#include "konfig/registry.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/reference.h"

namespace konfig {
namespace {

TEST(Registry, FindsByEitherSpelling) {
  register_symbol({.qualname = "registry_test.sub:Thing"});
  ASSERT_NE(find_symbol("registry_test.sub:Thing"), nullptr);
  EXPECT_EQ(find_symbol("registry_test.sub.Thing"), find_symbol("registry_test.sub:Thing"));
  EXPECT_EQ(find_symbol("registry_test.sub:Nothing"), nullptr);
  // Imported from further up.
  EXPECT_EQ(find_symbol("registry_test:sub.Thing"), find_symbol("registry_test.sub:Thing"));
  EXPECT_EQ(find_symbol("registry_test:sub.Thing.more"), nullptr);
  EXPECT_EQ(get_symbol("registry_test.sub:Thing").qualname, "registry_test.sub:Thing");
}

TEST(Registry, UnknownNameShowsTheNearest) {
  register_symbol({.qualname = "registry_test:Autoencoder"});
  expect_error(ErrorKind::key, {"registry_test:Autoencodr", "registry_test:Autoencoder"},
               [] { get_symbol("registry_test:Autoencodr"); });
}

TEST(Registry, RegisteringAgainReplaces) {
  register_symbol({.qualname = "registry_test:X", .constant = Value(1)});
  register_symbol({.qualname = "registry_test:X", .constant = Value(2)});
  EXPECT_EQ(*get_symbol("registry_test:X").constant, Value(2));
  auto all = all_symbols();
  auto count = std::count_if(all.begin(), all.end(),
                             [](const Symbol* s) { return s->qualname == "registry_test:X"; });
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const Symbol* a, const Symbol* b) {
    return a->qualname < b->qualname;
  }));
}

TEST(Registry, SplitsNames) {
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(split_qualname("a.b:C.d"), Pair("a.b", "C.d"));
  EXPECT_EQ(split_qualname("a.b.C"), Pair("a.b", "C"));
  for (const char* bad : {"", "toys", "a:b:c"}) {
    expect_error(ErrorKind::value, {}, [&] { split_qualname(bad); });
  }
}

TEST(Registry, NamesThatTheReferenceLacks) {
  register_symbol({.qualname = "kd.registry_test:Own"});
  EXPECT_EQ(find_symbol("kauldron.kd:registry_test.Own"), find_symbol("kd.registry_test:Own"));
  EXPECT_NE(find_symbol("kauldron.kd:registry_test.Own"), nullptr);
  EXPECT_EQ(find_symbol("kauldron.kd:registry_test.Other"), nullptr);
}

TEST(Registry, Aliases) {
  EXPECT_EQ(shorten_qualname("flax.linen:Dense"), "nn.Dense");
  EXPECT_EQ(shorten_qualname("kauldron.kd:data.Xxx"), "kd.data.Xxx");
  EXPECT_EQ(shorten_qualname("tensorflow_graphics:Foo"), "tensorflow_graphics.Foo");
  EXPECT_EQ(expand_qualname("kd.data:Xxx"), "kauldron.kd:data.Xxx");
  EXPECT_EQ(expand_qualname("np:int32"), "numpy:int32");
  EXPECT_EQ(expand_qualname("unknown:x"), "unknown:x");
  register_alias("registry_test.long.name", "rt");
  EXPECT_EQ(shorten_qualname("registry_test.long.name:F"), "rt.F");
  EXPECT_EQ(shorten_qualname("registry_test.long.names:F"), "registry_test.long.names.F");
  EXPECT_EQ(expand_qualname("rt:F"), "registry_test.long.name:F");
}

TEST(Registry, AFieldOfAnotherTypeHasNoneOfTheDefaultsFields) {
  register_default_values(
      call("registry_test:Typed", {{"a", call("registry_test:A", {{"x", 1}})}, {"b", 2}}));
  EXPECT_EQ(
      to_json(call("registry_test:Typed", {{"a", call("registry_test:A", {{"y", 1}})}})["a"].get()),
      R"({"__qualname__": "registry_test:A", "x": 1, "y": 1})");
  EXPECT_EQ(
      to_json(call("registry_test:Typed", {{"a", call("registry_test:B", {{"y", 1}})}})),
      R"({"__qualname__": "registry_test:Typed", "a": {"__qualname__": "registry_test:B", "y": 1}, )"
      R"("b": 2})");
}

TEST(Registry, DefaultsAreMergedIntoNewNodes) {
  register_default_values(
      call("registry_test:D",
           {{"a", 1}, {"b", ConfigDict{{"x", 1}}}, {"p", placeholder(CellType::text)}}));
  ConfigDict cfg = call("registry_test:D", {{"z", 5}, {"b", ConfigDict{{"y", 2}}}});
  EXPECT_EQ(to_json(cfg), R"({"__qualname__": "registry_test:D", "a": 1, "b": {"x": 1, "y": 2}, )"
                          R"("p": null, "z": 5})");
  EXPECT_EQ(to_json(config_from_json(R"({"n": {"__qualname__": "registry_test:D"}})")),
            R"({"n": {"__qualname__": "registry_test:D", "a": 1, "b": {"x": 1}, "p": null}})");
  // Each node has its own copy.
  cfg["b"]["x"] = 7;
  EXPECT_EQ(call("registry_test:D")["b"]["x"].get(), Value(1));
  expect_error(ErrorKind::type, {"a"}, [] { call("registry_test:D", {{"a", "text"}}); });
  expect_error(ErrorKind::value, {"registry_test:D"}, [] {
    register_default_values(ConfigDict{{"__qualname__", "registry_test:D"}, {"a", 2}});
  });
  clear_default_values("registry_test:D");
  EXPECT_EQ(find_default_values("registry_test:D"), nullptr);
  EXPECT_EQ(to_json(call("registry_test:D")), R"({"__qualname__": "registry_test:D"})");
}

TEST(Registry, EqualDefaultsMayComeTwice) {
  ConfigDict defaults = call("registry_test:E", {{"a", 1}});
  register_default_values(defaults);
  register_default_values(call("registry_test:E", {{"a", 1}}));
  defaults["a"] = 5;  // the registry keeps its own copy
  EXPECT_EQ(call("registry_test:E").get("a"), Value(1));
  clear_default_values("registry_test:E");
}

TEST(Registry, DefaultsMayReferToEachOther) {
  ConfigDict defaults = call("registry_test:F", {{"aux", ConfigDict{{"n", 1}}}});
  defaults["twice"] = defaults.ref("aux")["n"] * 2;
  register_default_values(defaults);
  ConfigDict a = call("registry_test:F"), b = call("registry_test:F");
  a["aux"]["n"] = 10;
  EXPECT_EQ(a.get("twice"), Value(20));
  EXPECT_EQ(b.get("twice"), Value(2));
  clear_default_values("registry_test:F");
}

}  // namespace
}  // namespace konfig
