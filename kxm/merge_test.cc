#include "kxm/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "konfig/konfig.h"
#include "konfig/lower.h"
#include "kxm/job.h"

namespace kxm {
namespace {

using konfig::call;
using konfig::ConfigDict;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::List;
using konfig::Value;
using testing::AllOf;
using testing::HasSubstr;

std::string keys_of(const Dict& dict) {
  std::string out;
  for (auto& [k, v] : dict) out += k.as<std::string>() + " ";
  return out;
}

TEST(Merge, EmptyFieldsOfNodesAreNotGiven) {
  EXPECT_EQ(keys_of(given_params(call("kauldron.kxm:Job"))), "__qualname__ ");
  ConfigDict job = call("kauldron.kxm:Job", {{"priority", 200}, {"platform", nullptr}});
  job["debug"]["pytype"] = false;
  job["executor"]["scheduling"]["max_task_failures"] = -1;
  const Dict given = given_params(job);
  EXPECT_TRUE(given.find("priority"));  // the default, and given
  EXPECT_TRUE(given.find("platform"));
  EXPECT_TRUE(find_path(given, "debug.pytype"));
  EXPECT_EQ(*find_path(given, "executor.scheduling.max_task_failures"), Value(-1));
  EXPECT_FALSE(given.find("args"));
  EXPECT_FALSE(find_path(given, "debug.dump_hlo"));
}

TEST(Merge, TypedJobsKnowWhatWasGiven) {
  const Dict given = given_params(konfig::lower(
      Job{.priority = 200, .args = {{"cfg.workdir", "x"}}, .debug = Debug{.dump_hlo = false}}));
  EXPECT_EQ(*find_path(given, "priority"), Value(200));
  EXPECT_EQ(*find_path(given, "args.cfg.workdir"), Value("x"));
  EXPECT_EQ(*find_path(given, "debug.dump_hlo"), Value(false));
  EXPECT_FALSE(given.find("platform"));
}

TEST(Merge, ErrorsNameBothFlags) {
  const MergeOptions options{.left = [](const std::string& path) { return "--xp." + path; },
                             .right = [](const std::string& path) { return "--cfg." + path; }};
  try {
    merge(Dict{{"a", Dict{{"b", 1}}}}, Dict{{"a", Dict{{"b", 2}}}}, options);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::value);
    EXPECT_THAT(e.what(), AllOf(HasSubstr("--xp.a.b is 1"), HasSubstr("--cfg.a.b is 2"),
                                HasSubstr("conflicting values")));
  }
  try {
    merge(Dict{{"a", 1}}, Dict{{"a", 1.0}}, options);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::type);
    EXPECT_THAT(e.what(), HasSubstr("different types"));
  }
}

TEST(Merge, TheRightMayWin) {
  const Value merged = merge(Dict{{"a", 1}, {"b", Dict{{"c", 1}}}, {"d", List{1}}},
                             Dict{{"a", "x"}, {"b", Dict{{"e", 2}}}}, {.right_wins = true});
  EXPECT_EQ(params_repr(merged), "{'a': 'x', 'b': {'c': 1, 'e': 2}, 'd': [1]}");
}

TEST(Merge, FieldsOfOthersAreDropped) {
  const Dict experiment =
      given_params(call("kauldron.kxm:Experiment", {{"cell", "x"}, {"root_dir", "/r"}}));
  const Dict job = given_params(call("kauldron.kxm:Job", {{"target", "t"}}));
  EXPECT_EQ(params_repr(merge(experiment, job)), "Job(target='t', cell='x')");
}

TEST(Merge, ReprIsIndentedWhereItIsLong) {
  const Dict job{{konfig::kQualname, "kauldron.kxm:Job"},
                 {"target", std::string(50, 'x')},
                 {"args", Dict{{"a", std::string(40, 'y')}}}};
  EXPECT_EQ(params_repr(job), "Job(\n    target='" + std::string(50, 'x') + "',\n    args={'a': '" +
                                  std::string(40, 'y') + "'},\n)");
}

// ---- Properties.

class RandomMaps {
 public:
  Dict map(int depth = 0) {
    Dict out;
    const int n = pick(5);
    for (int i = 0; i < n; ++i) {
      const std::string key(1, static_cast<char>('a' + pick(6)));
      out.set(key, depth < 3 && pick(3) == 0 ? Value(map(depth + 1)) : leaf());
    }
    return out;
  }
  Value leaf() {
    switch (pick(5)) {
      case 0:
        return pick(3);
      case 1:
        return 0.5 * pick(3);
      case 2:
        return std::string("t") + std::to_string(pick(2));
      case 3:
        return List{pick(2)};
      default:
        return pick(2) == 1;
    }
  }
  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

 private:
  std::mt19937 random_{7};
};

std::optional<Value> try_merge(const Value& a, const Value& b) {
  try {
    return merge(a, b);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Every leaf of `part` is in `whole`, too.
bool holds(const Dict& whole, const Dict& part) {
  return std::all_of(part.begin(), part.end(), [&](auto& pair) {
    auto* found = whole.find(pair.first);
    if (!found) return false;
    auto *a = found->template get_if<Dict>(), *b = pair.second.template get_if<Dict>();
    return a && b ? holds(*a, *b) : *found == pair.second;
  });
}
bool prefix_of(const std::string& start, const std::string& text) {
  return text.starts_with(start);
}

TEST(Merge, IsAUnion) {
  RandomMaps random;
  int merged = 0;
  for (int i = 0; i < 3000; ++i) {
    const Dict a = random.map(), b = random.map(), c = random.map();
    const std::string before = params_repr(a);
    EXPECT_EQ(try_merge(a, a), Value(a));
    EXPECT_EQ(try_merge(a, Dict()), Value(a));
    const auto ab = try_merge(a, b), ba = try_merge(b, a);
    EXPECT_EQ(ab.has_value(), ba.has_value());
    EXPECT_EQ(params_repr(a), before);  // what is merged stays as it is
    if (!ab) continue;
    ++merged;
    const Dict& both = ab->as<Dict>();
    EXPECT_TRUE(holds(both, a) && holds(both, b) && holds(ba->as<Dict>(), both));
    EXPECT_TRUE(prefix_of(keys_of(a), keys_of(both)));  // the left's keys come first
    EXPECT_EQ(try_merge(*ab, b), *ab);
    if (auto bc = try_merge(b, c)) {
      const auto left = try_merge(*ab, c), right = try_merge(a, *bc);
      EXPECT_EQ(left.has_value(), right.has_value());
      if (left) {
        EXPECT_EQ(params_repr(*left), params_repr(*right));
      }
    }
  }
  EXPECT_GT(merged, 500);
}

}  // namespace
}  // namespace kxm
