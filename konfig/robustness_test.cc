// Hostile input gives an Error, never a crash, a hang or unbounded memory.
#include <gtest/gtest.h>

#include <functional>

#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/literal.h"
#include "konfig/print.h"
#include "konfig/reference.h"
#include "konfig/registry.h"
#include "konfig/resolve.h"
#include "konfig/yaml.h"

namespace konfig {
namespace {

constexpr int kDeep = 100000;

// Works or throws an Error; anything else fails the test.
void survives(const std::function<void()>& f, const char* what = "") {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_LT(std::string(e.what()).size(), 100000U) << what;
  } catch (const std::exception& e) {
    ADD_FAILURE() << what << ": " << e.what();
  }
}

std::string repeat(std::string_view part, int n) {
  std::string out;
  out.reserve(part.size() * static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) out += part;
  return out;
}

// Everything a program does with a config.
void use(const ConfigDict& cfg) {
  survives([&] { to_json(cfg); }, "to_json");
  survives([&] { to_json(cfg, {.indent = 2}); }, "to_json indented");
  survives([&] { to_yaml(cfg); }, "to_yaml");
  survives([&] { repr(cfg); }, "repr");
  survives([&] { (void)Value(cfg).repr(); }, "Value::repr");
  survives([&] { cfg.copy(); }, "copy");
  survives([&] { cfg.shallow_copy(); }, "shallow_copy");
  survives([&] { cfg.without_references(); }, "without_references");
  survives([&] { cfg.to_dict(); }, "to_dict");
  survives([&] { (void)(cfg == cfg.copy()); }, "==");
  survives([&] { resolve(cfg); }, "resolve");
  survives([&] { ref_copy(cfg); }, "ref_copy");
  survives([&] { (void)(cfg | cfg); }, "|");  // NOLINT(misc-redundant-expression): on purpose
  survives([&] { ConfigDict(cfg).lock(); }, "lock");
  survives([&] { ConfigDict(cfg).unlock(); }, "unlock");
  survives([&] { auto scope = cfg.ignore_type(); }, "ignore_type");
}

TEST(Robustness, DeepJson) {
  for (const char* open : {"[", "{\"a\": ", "[[{\"a\": "}) {
    std::string deep = repeat(open, kDeep);
    survives([&] { parse_json(deep); });
    survives([&] { config_from_json(deep); });
    survives([&] { config_from_json("{\"x\": " + deep); });
  }
  std::string lists = repeat("[", kDeep) + repeat("]", kDeep);
  std::string maps = repeat("{\"a\": ", kDeep) + "1" + repeat("}", kDeep);
  survives([&] { to_json(parse_json(lists)); });
  survives([&] { to_json(parse_json(maps)); });
  survives([&] { use(config_from_json(maps)); });
  survives([&] { use(config_from_json("{\"x\": " + lists + "}")); });
}

TEST(Robustness, DeepYaml) {
  std::string flow = repeat("[", kDeep) + repeat("]", kDeep);
  std::string flow_map = repeat("{a: ", kDeep) + "1" + repeat("}", kDeep);
  std::string block = repeat("- ", kDeep) + "1";
  for (const std::string& text :
       {flow, flow_map, block, repeat("[", kDeep), repeat("{a: ", kDeep), repeat("? ", kDeep),
        repeat("a: &x ", kDeep), repeat("!!x ", kDeep)}) {
    survives([&] { parse_yaml(text); }, text.substr(0, 4).c_str());
    survives([&] { config_from_yaml(text); }, text.substr(0, 4).c_str());
  }
  std::string indented;
  for (int i = 0; i < 3000; ++i) indented += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  survives([&] { config_from_yaml(indented); });
}

TEST(Robustness, DeepLiterals) {
  const std::vector<std::pair<std::string, std::string>> brackets = {
      {"[", "]"},    {"(", ",)"},     {"{1: ", "}"}, {"{'a': ", "}"},
      {"a.B(", ")"}, {"a.B(x=", ")"}, {"-", ""}};
  for (const auto& [open, close] : brackets) {
    std::string whole = repeat(open, kDeep) + "1" + repeat(close, kDeep);
    std::string half = repeat(open, kDeep);
    for (const std::string& text : {whole, half}) {
      survives([&] { parse_py(text); }, open.c_str());
      survives([&] { parse_literal(text); }, open.c_str());
      survives([&] { parse_flag_value(text); }, open.c_str());
    }
  }
}

TEST(Robustness, DeepConfigsBuiltByHand) {
  ConfigDict cfg{{"x", 1}};
  survives([&] {
    for (int i = 0; i < kDeep; ++i) cfg = ConfigDict{{"a", cfg}};
  });
  use(cfg);
  ConfigDict calls = call("m:f");
  survives([&] {
    for (int i = 0; i < kDeep; ++i) calls = call("m:f", std::vector<Value>{calls});
  });
  use(calls);
}

TEST(Robustness, DeepListsBuiltByHand) {
  List list;
  Tuple tuple;
  Dict dict;
  for (int i = 0; i < kDeep; ++i) {
    list = List{list};
    tuple = Tuple{tuple};
    dict = Dict{{"a", dict}};
  }
  for (const Value& v : {Value(list), Value(tuple), Value(dict)}) {
    survives([&] { (void)v.repr(); }, "repr");
    survives([&] { to_json(v); }, "to_json");
    survives([&] { to_yaml(v); }, "to_yaml");
    survives([&] { repr(v); }, "print");
    survives([&] { resolve(v); }, "resolve");
    survives([&] { export_(v); }, "export_");
    survives([&] { (void)(v == Value(List{v})); }, "==");
    survives([&] { use(ConfigDict{{"a", v}}); }, "config");
    survives([&] { ConfigDict().set(v, 1); }, "key");
  }
  survives([&] { use(ConfigDict(dict)); });
  survives([&] { ConfigDict{{"a", 1}}.update(dict); });
  List twin;
  for (int i = 0; i < kDeep; ++i) twin = List{twin};
  survives([&] { (void)(Value(list) == Value(twin)); });
}

TEST(Robustness, LongChainsOfReferences) {
  ConfigDict cfg{{"x0", 1}};
  for (int i = 1; i < kDeep; ++i)
    cfg["x" + std::to_string(i)] = cfg.ref("x" + std::to_string(i - 1));
  survives([&] { cfg.get("x" + std::to_string(kDeep - 1)); });
  survives([&] { to_json(cfg); });
  survives([&] { cfg.copy(); });
  EXPECT_EQ(cfg.get("x10"), Value(1));
}

TEST(Robustness, LongExpressions) {
  ConfigDict cfg{{"x", 1}};
  Reference sum = cfg.ref("x");
  survives([&] {
    for (int i = 0; i < kDeep; ++i) sum = sum + 1;
  });
  survives([&] { sum.get(); });
  survives([&] { sum.path(); });
  survives([&] { (void)sum.repr(); });
  survives([&] {
    cfg["y"] = sum;
    use(cfg);
  });
  Reference deep = cfg.ref();
  survives([&] {
    for (int i = 0; i < kDeep; ++i) deep = deep["a"];
    deep.get();
  });
}

TEST(Robustness, ALoopOfReferencesEnds) {
  ConfigDict cfg;
  for (int i = 0; i < 5000; ++i) {
    cfg["x" + std::to_string(i)] = cfg.ref("x" + std::to_string((i + 1) % 5000));
  }
  EXPECT_THROW(cfg.get("x0"), Error);
  EXPECT_THROW(to_json(cfg), Error);
}

TEST(Robustness, ResultsTooLargeAreErrors) {
  ConfigDict cfg{{"n", std::int64_t{1} << 50}, {"text", "x"}, {"list", List{1}}};
  EXPECT_THROW((cfg.ref("text") * cfg.ref("n")).get(), Error);
  EXPECT_THROW((cfg.ref("list") * cfg.ref("n")).get(), Error);
  EXPECT_THROW(binary(Op::mod, "%999999999999d", cfg.ref("n")).get(), Error);
}

TEST(Robustness, AConfigThatContainsItself) {
  ConfigDict cfg{{"a", 1}, {"sub", ConfigDict{}}};
  cfg["sub"]["top"] = cfg;
  EXPECT_NE(repr(cfg).find("*id001"), std::string::npos);
  expect_error(ErrorKind::cycle, {}, [&] { to_json(cfg); });
  expect_error(ErrorKind::cycle, {}, [&] { to_yaml(cfg); });
  expect_error(ErrorKind::cycle, {}, [&] { resolve(cfg); });
  expect_error(ErrorKind::cycle, {}, [&] { cfg.to_dict(); });
  survives([&] { (void)Value(cfg).repr(); });
  survives([&] { cfg.lock(); });
  survives([&] { cfg.unlock(); });
  survives([&] { cfg.update(cfg); });
  survives([&] { (void)(cfg == cfg); });  // NOLINT(misc-redundant-expression): on purpose
  ConfigDict copy = cfg.copy();           // copies keep the cycle
  EXPECT_TRUE(copy["sub"]["top"].get().as<ConfigDict>().same(copy));
  EXPECT_TRUE(copy == cfg);
  ConfigDict(copy.get("sub").as<ConfigDict>()).erase("top");  // cycles are never freed
  ConfigDict(cfg.get("sub").as<ConfigDict>()).erase("top");
}

TEST(Robustness, AListThatContainsItself) {
  List list{1};
  list.push_back(list);
  survives([&] { (void)Value(list).repr(); });
  survives([&] { to_json(Value(list)); });
  survives([&] { ConfigDict cfg{{"a", list}}; });
  survives([&] { resolve(list); });
  list.set(1, 0);
}

// Nodes shared on 60 levels: few nodes, 2^60 paths.
ConfigDict many_paths() {
  ConfigDict cfg{{"x", 1}};
  for (int i = 0; i < 60; ++i) cfg = ConfigDict{{"a", cfg}, {"b", cfg}};
  return cfg;
}

TEST(Robustness, ManyPathsPrint) { EXPECT_LT(repr(many_paths()).size(), 100000U); }
TEST(Robustness, ManyPathsCopy) { EXPECT_EQ(repr(many_paths().copy()), repr(many_paths())); }
TEST(Robustness, ManyPathsLock) {
  ConfigDict cfg = many_paths();
  cfg.lock();
  auto scope = cfg.ignore_type();
  EXPECT_TRUE(cfg.locked());
}
TEST(Robustness, ManyPathsJson) {
  survives([] { to_json(many_paths()); });
}
TEST(Robustness, ManyPathsYaml) {
  std::string yaml = to_yaml(many_paths());
  EXPECT_LT(yaml.size(), 100000U);
  EXPECT_EQ(repr(config_from_yaml(yaml)), repr(many_paths()));
}
TEST(Robustness, ManyPathsEqual) {
  survives([] { (void)(many_paths() == many_paths()); });
}
TEST(Robustness, ManyPathsResolve) {
  survives([] { resolve(many_paths()); });
}
TEST(Robustness, ManyPathsWithoutReferences) {
  survives([] { many_paths().without_references(); });
}
TEST(Robustness, ManyPathsToDict) {
  survives([] { many_paths().to_dict(); });
}
TEST(Robustness, ManyPathsUpdate) {
  survives([] { many_paths().update(many_paths()); });
}
TEST(Robustness, ManyPathsIds) {
  std::string json = R"({"__id__": 0, "x": 1})";
  for (int i = 1; i < 60; ++i) {
    std::string n = std::to_string(i), last = std::to_string(i - 1);
    json = R"({"__id__": )" + n + R"(, "a": )" + json + R"(, "b": {"__id__": )" + last + "}}";
  }
  survives([&] { config_from_json(json); });
}

}  // namespace
}  // namespace konfig
