// Properties that hold for all configs, checked on random ones.
#include <gtest/gtest.h>

#include <map>

#include "konfig/json.h"
#include "konfig/print.h"
#include "konfig/random_test.h"
#include "konfig/reference.h"
#include "konfig/yaml.h"

namespace konfig {
namespace {

constexpr unsigned kRounds = 400;

TEST(Property, CopyIsEqualAndPrintsTheSame) {
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    ConfigDict cfg = RandomConfig(seed, /*with_nan=*/false).config();
    ConfigDict copy = cfg.copy();
    ASSERT_TRUE(copy == cfg) << seed << "\n" << repr(cfg);
    ASSERT_EQ(to_json(copy), to_json(cfg)) << seed;
    ASSERT_EQ(repr(copy), repr(cfg)) << seed;
  }
}

// Changes every node once.
void scribble(ConfigDict cfg, int depth = 0) {
  for (const auto& [key, value] : cfg.items()) {
    if (auto* child = value.get_if<ConfigDict>(); child && depth < 10) scribble(*child, depth + 1);
    if (auto* list = value.get_if<List>()) List(*list).push_back("scribble");
  }
  cfg.set("scribble", depth);
}

TEST(Property, CopyIsIndependent) {
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    ConfigDict cfg = RandomConfig(seed).config();
    std::string before = to_json(cfg), printed = repr(cfg);
    scribble(cfg.copy());
    ASSERT_EQ(to_json(cfg), before) << seed;
    ASSERT_EQ(repr(cfg), printed) << seed;
  }
}

TEST(Property, JsonComesBack) {
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    ConfigDict cfg = RandomConfig(seed).config();
    std::string json = to_json(cfg);
    ASSERT_EQ(to_json(config_from_json(json)), json) << seed;
    ASSERT_EQ(to_json(config_from_json(to_json(cfg, {.indent = 2}))), json) << seed;
    ASSERT_EQ(to_json(parse_json(json)), json) << seed;
  }
}

TEST(Property, YamlComesBack) {
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    ConfigDict cfg = RandomConfig(seed).config();
    std::string json = to_json(cfg), yaml = to_yaml(cfg);
    ASSERT_EQ(to_json(config_from_yaml(yaml)), json) << seed << "\n" << yaml;
  }
}

TEST(Property, PrintingIsDeterministic) {
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    ConfigDict a = RandomConfig(seed).config(), b = RandomConfig(seed).config();
    ASSERT_EQ(repr(a), repr(b)) << seed;
    ASSERT_EQ(to_yaml(a), to_yaml(b)) << seed;
  }
}

// ---- Overrides against a model: a map from path to value, and the table of types.

enum class Type { none, boolean, integer, real, text, list, tuple, node };

Type type_of(const Value& v) {
  if (v.is<bool>()) return Type::boolean;
  if (v.is<std::int64_t>()) return Type::integer;
  if (v.is<double>()) return Type::real;
  if (v.is<std::string>()) return Type::text;
  if (v.is<List>()) return Type::list;
  if (v.is<Tuple>()) return Type::tuple;
  if (v.is<ConfigDict>()) return Type::node;
  return Type::none;
}

std::vector<Value> elements(const Value& v) {
  if (auto* list = v.get_if<List>()) return {list->begin(), list->end()};
  const Tuple& tuple = v.as<Tuple>();
  return {tuple.begin(), tuple.end()};
}

// What a field that holds `old` becomes when `now` is assigned; empty: refused.
std::optional<Value> overwritten(const Value& old, const Value& now) {
  Type from = type_of(now), to = type_of(old);
  if (from == Type::none || to == Type::none || from == to) return now;
  if (to == Type::real && from == Type::integer) return static_cast<double>(now.as<std::int64_t>());
  if (to == Type::real && from == Type::boolean) return now.as<bool>() ? 1.0 : 0.0;
  if (to == Type::integer && from == Type::boolean) return now;
  if (to == Type::list && from == Type::tuple) return Value(List(elements(now)));
  if (to == Type::tuple && from == Type::list) return Value(Tuple(elements(now)));
  return std::nullopt;
}

Value random_field(RandomConfig& random) {
  switch (random.below(7)) {
    case 0:
      return nullptr;
    case 1:
      return random.below(2) == 0;
    case 2:
      return random.below(100);
    case 3:
      return random.below(100) / 8.0;
    case 4:
      return random.text();
    case 5:
      return List{random.below(9)};
    default:
      return Tuple{random.below(9), "x"};
  }
}

TEST(Property, OverridesFollowTheTable) {
  const std::vector<std::vector<std::string>> paths = {
      {"a"}, {"b"}, {"n", "a"}, {"n", "b"}, {"n", "m", "a"}, {"n", "m", "b"}};
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    RandomConfig random(seed);
    ConfigDict cfg{{"n", ConfigDict{{"m", ConfigDict{}}}}};
    std::map<std::vector<std::string>, Value> model;
    for (int step = 0; step < 60; ++step) {
      const auto& path =
          paths[static_cast<std::size_t>(random.below(static_cast<int>(paths.size())))];
      ConfigDict node = cfg;
      for (std::size_t i = 0; i + 1 < path.size(); ++i) node = node.get(path[i]).as<ConfigDict>();
      Value now = random_field(random);
      auto old = model.find(path);
      std::optional<Value> wanted = old == model.end() ? now : overwritten(old->second, now);
      bool accepted = true;
      try {
        node[path.back()] = now;
      } catch (const Error& e) {
        ASSERT_EQ(e.kind(), ErrorKind::type);
        accepted = false;
      }
      ASSERT_EQ(accepted, wanted.has_value())
          << (old == model.end() ? "new" : old->second.repr()) << " <- " << now.repr();
      if (wanted) model[path] = *wanted;
      ASSERT_EQ(node.get(path.back()).repr(), model[path].repr());
    }
  }
}

}  // namespace
}  // namespace konfig
