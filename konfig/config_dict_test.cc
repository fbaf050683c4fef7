#include "konfig/config_dict.h"

#include <gtest/gtest.h>

#include <sstream>

#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/print.h"
#include "konfig/reference.h"
#include "konfig/value.h"

namespace konfig {
namespace {

TEST(ConfigDict, ExampleOfTheHeader) {
  ConfigDict cfg = call("optax:adam", {{"learning_rate", 0.003}});
  cfg["learning_rate"] = 1e-4;
  cfg["decay"] = cfg.ref("learning_rate") * 10;
  EXPECT_EQ(to_json(cfg),
            R"({"__qualname__": "optax:adam", "learning_rate": 0.0001, "decay": 0.001})");
  std::ostringstream out;
  out << cfg;
  EXPECT_NE(out.str().find("optax.adam(\n    learning_rate=0.0001,\n    decay=0.001,\n)"),
            std::string::npos)
      << out.str();
}

TEST(ConfigDict, IsAHandle) {
  ConfigDict a{{"x", 1}};
  ConfigDict b = a;  // NOLINT(performance-unnecessary-copy-initialization): that is the test
  b["x"] = 2;
  EXPECT_EQ(a.get("x"), Value(2));
  EXPECT_TRUE(a.same(b));
  EXPECT_FALSE(a.same(a.copy()));
  EXPECT_EQ(a, a.copy());
}

TEST(ConfigDict, ReadsThroughItems) {
  ConfigDict cfg{{"a", ConfigDict{{"b", List{1, ConfigDict{{"c", 3}}}}}}, {"t", Tuple{7, 8}}};
  EXPECT_EQ(cfg["a"]["b"][0].get(), Value(1));
  EXPECT_EQ(cfg["a"]["b"][1]["c"].get(), Value(3));
  EXPECT_EQ(cfg["t"][-1].get(), Value(8));
  Value v = cfg["a"]["b"];
  EXPECT_EQ(v.as<List>().size(), 2U);
  std::string key = "a";
  EXPECT_TRUE(cfg[std::string_view(key)].get().is<ConfigDict>());
}

TEST(ConfigDict, WritesThroughItems) {
  ConfigDict cfg{{"a", ConfigDict{{"l", List{1, ConfigDict{{"c", 3}}}}}}};
  cfg["a"]["l"][0] = 5;
  cfg["a"]["l"][1]["c"] = 6;
  cfg["a"]["new"] = "text";
  EXPECT_EQ(to_json(cfg), R"({"a": {"l": [5, {"c": 6}], "new": "text"}})");
  cfg["b"] = cfg["a"]["l"][0];
  EXPECT_EQ(cfg.get("b"), Value(5));
  cfg["a"]["l"][0] = 7;
  EXPECT_EQ(cfg.get("b"), Value(5));
}

TEST(ConfigDict, ItemOfANodeSharesTheNode) {
  ConfigDict cfg{{"a", ConfigDict{{"x", 1}}}};
  cfg["b"] = cfg["a"];
  cfg["b"]["x"] = 2;
  EXPECT_EQ(cfg["a"]["x"].get(), Value(2));
}

TEST(ConfigDict, ConstHandlesRead) {
  const ConfigDict cfg{{"a", 1}, {"sub", ConfigDict{{"x", 2}}}};
  EXPECT_EQ(cfg["a"].get(), Value(1));
  EXPECT_EQ(cfg["sub"]["x"].get(), Value(2));
  EXPECT_EQ(cfg.get("a"), Value(1));
  EXPECT_EQ(cfg.items().size(), 2U);
  EXPECT_TRUE(cfg.contains("sub"));
  EXPECT_EQ(cfg.ref("a").get(), Value(1));
}

TEST(ConfigDict, KeepsOrder) {
  ConfigDict cfg{{"b", 1}, {"a", 2}};
  cfg["c"] = 3;
  cfg["b"] = 9;
  EXPECT_EQ(to_json(cfg), R"({"b": 9, "a": 2, "c": 3})");
  cfg.erase("b");
  cfg["b"] = 0;
  EXPECT_EQ(to_json(cfg), R"({"a": 2, "c": 3, "b": 0})");
}

TEST(ConfigDict, ManyKeys) {
  ConfigDict cfg;
  for (int i = 0; i < 20000; ++i) cfg["key_" + std::to_string(i)] = i;
  for (int i = 0; i < 200; i += 2) cfg.erase("key_" + std::to_string(i));
  EXPECT_EQ(cfg.size(), 19900U);
  EXPECT_EQ(cfg.get("key_19999"), Value(19999));
  EXPECT_FALSE(cfg.contains("key_2"));
  EXPECT_EQ(cfg.keys().front(), Value("key_1"));
}

TEST(ConfigDict, MissingKeyNamesTheNearest) {
  ConfigDict cfg{{"learning_rate", 0.1}, {"momentum", 0.9}};
  expect_error(ErrorKind::key, {"cfg.learning_rat:", "'learning_rate'"},
               [&] { cfg.get("learning_rat"); });
  expect_error(ErrorKind::key, {"momentun", "momentum"}, [&] { Value v = cfg["momentun"]; });
  expect_error(ErrorKind::key, {"zzz"}, [&] { cfg.get("zzz"); });
  expect_error(ErrorKind::key, {"nope"}, [&] { cfg.erase("nope"); });
  expect_error_at(ErrorKind::key, "cfg.zzz", [&] { cfg.get("zzz"); });
  EXPECT_EQ(cfg.get("zzz", 5), Value(5));
}

TEST(ConfigDict, MissingParentIsAnError) {
  ConfigDict cfg;
  expect_error(ErrorKind::key, {"new"}, [&] { cfg["new"]["x"] = 1; });
  EXPECT_FALSE(cfg.contains("new"));
}

TEST(ConfigDict, ErrorsStartWithThePlace) {
  ConfigDict cfg{{"a", 1}, {"sub", ConfigDict{{"b", 2}}}};
  expect_error_at(ErrorKind::type, "cfg.a", [&] { cfg["a"] = "text"; });
  expect_error(ErrorKind::type, {"a", "int", "str", "'text'"}, [&] { cfg["a"] = "text"; });
  expect_error(ErrorKind::type, {"b", "int", "float"}, [&] { cfg["sub"]["b"] = 1.5; });
}

TEST(ConfigDict, RefusesForeignValuesWithTheirLocation) {
  Value object = Object{.type = nullptr, .ptr = std::make_shared<int>(1)};
  ConfigDict cfg;
  expect_error_at(ErrorKind::value, "cfg.a", [&] { cfg["a"] = object; });
  expect_error(ErrorKind::value, {"cfg.a[1].b"}, [&] { cfg["a"] = List{0, Dict{{"b", object}}}; });
  expect_error(ErrorKind::value, {"cfg.a"}, [&] { cfg["a"] = Complex{1, 2}; });
  EXPECT_TRUE(cfg.empty());
}

TEST(ConfigDict, PositionalArguments) {
  // Path("a", "b"): [-1] = "b2", [2] = "c1"
  ConfigDict cfg = call("pathlib:Path", {Value("a"), Value("b")});
  expect_error(ErrorKind::index, {"2"}, [&] { cfg[2].get(); });
  expect_error(ErrorKind::index, {"-3"}, [&] { cfg[-3].get(); });
  cfg[-1] = "b2";
  cfg[2] = "c1";
  expect_error(ErrorKind::index, {}, [&] { cfg[4] = "x"; });
  EXPECT_EQ(cfg.num_args(), 3U);
  EXPECT_EQ(to_json(cfg), R"({"__qualname__": "pathlib:Path", "0": "a", "1": "b2", "2": "c1"})");
  EXPECT_EQ(cfg.get("0"), cfg.get(0));
  cfg.erase("1");
  EXPECT_EQ(cfg.num_args(), 1U);
}

TEST(ConfigDict, CallWithArgumentsAndKeywords) {
  ConfigDict cfg = call("m:f", {1, List{2}}, {{"k", "v"}});
  EXPECT_TRUE(cfg.is_call());
  EXPECT_FALSE(cfg.is_const());
  EXPECT_EQ(cfg.qualname(), "m:f");
  EXPECT_EQ(to_json(cfg), R"({"__qualname__": "m:f", "0": 1, "1": [2], "k": "v"})");
  EXPECT_EQ(to_json(call("m:f")), R"({"__qualname__": "m:f"})");
  EXPECT_EQ(to_json(call("m:f", {{"a", "b"}})), R"({"__qualname__": "m:f", "a": "b"})");
  EXPECT_TRUE(constant("m:f").is_const());
  EXPECT_EQ(constant("m:f").qualname(), "m:f");
  EXPECT_EQ((ConfigDict{{"a", 1}}).qualname(), "");
}

TEST(ConfigDict, KeysThatAreNotText) {
  ConfigDict cfg(Dict{{0, Dict{{"1", 1}}}, {"0", "aaa"}, {"b", 2}, {-4, "a"}});
  EXPECT_EQ(to_json(cfg), R"({"__raw__=0": {"1": 1}, "0": "aaa", "b": 2, "__raw__=-4": "a"})");
  ConfigDict back = config_from_json(to_json(cfg));
  EXPECT_EQ(back, cfg);
  EXPECT_EQ(back.get(0).as<ConfigDict>().get("1"), Value(1));
  EXPECT_FALSE(back.get(0).as<ConfigDict>().contains(1));
  EXPECT_EQ(back.keys()[0], Value(0));
  EXPECT_EQ(cfg.get("__raw__=-4"), Value("a"));
}

TEST(ConfigDict, DottedKeysArePlainKeys) {
  ConfigDict cfg{{"a.b", 1}, {"a", ConfigDict{{"b", 2}}}};
  EXPECT_EQ(cfg.get("a.b"), Value(1));
  EXPECT_EQ(cfg["a"]["b"].get(), Value(2));
}

TEST(ConfigDict, ListsAreCopiedIn) {
  List list{1, 2};
  ConfigDict cfg{{"a", list}};
  list.push_back(3);
  EXPECT_EQ(cfg.get("a").as<List>().size(), 2U);
  List inside = cfg.get("a").as<List>();
  inside.push_back(9);
  EXPECT_EQ(to_json(cfg), R"({"a": [1, 2, 9]})");
}

TEST(ConfigDict, LockStopsNewKeysOnly) {
  ConfigDict cfg{{"a", 1}, {"sub", ConfigDict{{"x", 1}}}};
  cfg.lock();
  EXPECT_TRUE(cfg.locked());
  cfg["a"] = 2;
  expect_error(ErrorKind::key, {"new", "locked"}, [&] { cfg["new"] = 1; });
  expect_error(ErrorKind::key, {"new"}, [&] { cfg["sub"]["new"] = 1; });
  expect_error(ErrorKind::key, {"new"}, [&] { cfg.update(Dict{{"new", 1}}); });
  EXPECT_FALSE(cfg == (ConfigDict{{"a", 2}, {"sub", ConfigDict{{"x", 1}}}}));
  cfg.unlock();
  cfg["new"] = 1;
  EXPECT_FALSE(cfg.locked());
}

TEST(ConfigDict, IgnoreTypeEndsWithItsScope) {
  ConfigDict cfg{{"a", 1}, {"sub", ConfigDict{{"x", 1}}}};
  {
    auto outer = cfg.ignore_type();
    {
      auto inner = cfg.ignore_type();
      cfg["a"] = "text";
    }
    cfg["sub"]["x"] = "text";  // the inner scope must not end the outer one
  }
  expect_error(ErrorKind::type, {"a"}, [&] { cfg["a"] = 1; });
  expect_error(ErrorKind::type, {"x"}, [&] { cfg["sub"]["x"] = 1; });
}

TEST(ConfigDict, IgnoreTypeSurvivesAnError) {
  ConfigDict cfg{{"a", 1}};
  try {
    auto scope = cfg.ignore_type();
    cfg.get("missing");
  } catch (const Error&) {
  }
  expect_error(ErrorKind::type, {}, [&] { cfg["a"] = "text"; });
}

TEST(ConfigDict, TypesOfFields) {
  ConfigDict cfg{{"i", 1}, {"f", 1.5}, {"b", true}, {"s", "x"}, {"l", List{1}}, {"t", Tuple{1}}};
  cfg["f"] = 2;
  EXPECT_TRUE(cfg.get("f").is<double>());
  cfg["f"] = true;
  EXPECT_EQ(to_json(cfg.get("f")), "1.0");
  cfg["l"] = Tuple{2, 3};
  EXPECT_TRUE(cfg.get("l").is<List>());
  cfg["t"] = List{4};
  EXPECT_TRUE(cfg.get("t").is<Tuple>());
  expect_error(ErrorKind::type, {}, [&] { cfg["b"] = 1; });
  expect_error(ErrorKind::type, {}, [&] { cfg["i"] = 1.5; });
  expect_error(ErrorKind::type, {}, [&] { cfg["s"] = 12; });
  cfg["i"] = nullptr;
  cfg["i"] = "now text";
  expect_error(ErrorKind::type, {}, [&] { cfg["i"] = 1; });
}

TEST(ConfigDict, UpdateMergesDeeply) {
  ConfigDict cfg{{"a", call("m:f", {{"x", 1}, {"y", 2}})}, {"b", 1}};
  ConfigDict node = cfg.get("a").as<ConfigDict>();
  cfg.update(Dict{{"a", call("m:g", {{"x", 5}})}, {"c", 3}});
  EXPECT_EQ(to_json(cfg), R"({"a": {"__qualname__": "m:g", "x": 5, "y": 2}, "b": 1, "c": 3})");
  EXPECT_TRUE(node.same(cfg.get("a").as<ConfigDict>()));
}

TEST(ConfigDict, MergeLeavesTheOperandsAlone) {
  ConfigDict a{{"x", 1}, {"n", ConfigDict{{"y", 2}}}};
  ConfigDict b{{"n", ConfigDict{{"z", 3}}}};
  ConfigDict c = a | b;
  EXPECT_EQ(to_json(c), R"({"x": 1, "n": {"y": 2, "z": 3}})");
  c["n"]["z"] = 9;
  EXPECT_EQ(to_json(a), R"({"x": 1, "n": {"y": 2}})");
  EXPECT_EQ(to_json(b), R"({"n": {"z": 3}})");
}

TEST(ConfigDict, CopyKeepsSharing) {
  ConfigDict x{{"v", 1}};
  ConfigDict cfg{{"list", List{x, x}}, {"y", x}};
  ConfigDict copy = cfg.copy();
  copy["y"]["v"] = 5;
  EXPECT_EQ(copy["list"][0]["v"].get(), Value(5));
  EXPECT_EQ(copy["list"][1]["v"].get(), Value(5));
  EXPECT_EQ(x.get("v"), Value(1));
}

TEST(ConfigDict, PartsKeepTheirConfigAlive) {
  ConfigDict sub = [] {
    ConfigDict root{{"n", 5}, {"sub", ConfigDict{}}};
    root["sub"]["twice"] = root.ref("n") * 2;
    return root.get("sub").as<ConfigDict>();
  }();
  EXPECT_EQ(sub.get("twice"), Value(10));
  ConfigDict deeper = [] {
    ConfigDict root{{"n", 5}, {"a", ConfigDict{{"b", ConfigDict{}}}}};
    root["a"]["b"]["n"] = root.ref("n");
    return root.get("a").as<ConfigDict>().get("b").as<ConfigDict>();
  }();
  EXPECT_EQ(to_json(deeper), R"({"n": 5})");
  Value from_list = [] {
    ConfigDict root{{"n", 5}, {"l", List{ConfigDict{{"x", 0}}}}};
    root["l"][0]["x"] = root.ref("n");
    return root["l"][0].get();
  }();
  EXPECT_EQ(from_list.as<ConfigDict>().get("x"), Value(5));
}

TEST(ConfigDict, ItemsFollowReferences) {
  ConfigDict cfg{{"a", 1}};
  cfg["b"] = cfg.ref("a");
  EXPECT_EQ(cfg.items()[1].second, Value(1));
  Dict plain = cfg.to_dict();
  EXPECT_EQ(plain.at("b"), Value(1));
}

TEST(ConfigDict, WithoutReferencesIsIndependent) {
  ConfigDict cfg{{"a", 1}};
  cfg["b"] = cfg.ref("a") + 1;
  ConfigDict fixed = cfg.without_references();
  fixed["a"] = 10;
  EXPECT_EQ(fixed.get("b"), Value(2));
}

}  // namespace
}  // namespace konfig
