#include "kxm/sweep_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "konfig/json.h"
#include "konfig/lower.h"
#include "kxm/experiment.h"

namespace kxm {
namespace {

using konfig::Dict;
using konfig::Error;
using konfig::List;
using konfig::Value;
using testing::ElementsAre;

std::string text(const std::vector<Dict>& items) {
  std::string out;
  for (auto& item : items) out += konfig::to_json(item);
  return out;
}

TEST(SweepInfo, ProductsAndZips) {
  const std::vector<Dict> a = {Dict{{"m", 1}}, Dict{{"m", 2}}};
  const std::vector<Dict> b = {Dict{{"b", 16}, {"m", 9}}, Dict{{"b", 32}}};
  EXPECT_EQ(text(product({a, b})),
            R"({"m": 9, "b": 16}{"m": 1, "b": 32}{"m": 9, "b": 16}{"m": 2, "b": 32})");
  EXPECT_EQ(text(product({})), "{}");
  EXPECT_EQ(text(zip({a, b})), R"({"m": 9, "b": 16}{"m": 2, "b": 32})");
  EXPECT_THROW(zip({a, {Dict()}}), Error);
}

TEST(SweepInfo, ProductsHaveEveryCombinationOnce) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::vector<Dict>> sweeps(random() % 4);
    std::size_t all = 1;
    for (std::size_t s = 0; s < sweeps.size(); ++s) {
      const int n = static_cast<int>(random() % 4);
      for (int k = 0; k < n; ++k) sweeps[s].push_back(Dict{{std::string(1, 'a' + s), k}});
      all *= static_cast<std::size_t>(n);
    }
    const auto items = product(sweeps);
    EXPECT_EQ(items.size(), all);
    std::set<std::string> seen;
    std::string last;
    for (auto& item : items) {
      const std::string json = konfig::to_json(item);
      EXPECT_TRUE(seen.insert(json).second);
      EXPECT_LE(last, json);  // the last list varies fastest
      last = json;
    }
  }
}

TEST(SweepInfo, Names) {
  const std::vector<std::string> all = {"", "lr"};
  EXPECT_THAT(sweep_names(true, all), ElementsAre(""));
  EXPECT_THAT(sweep_names("*", all), ElementsAre("", "lr"));
  EXPECT_THAT(sweep_names("lr,", all), ElementsAre("lr", ""));
  EXPECT_THAT(sweep_names(konfig::Tuple{"lr"}, all), ElementsAre("lr"));
  EXPECT_THROW(sweep_names(1, all), Error);
  EXPECT_THROW(sweep_names(List{1}, all), Error);
}

TEST(SweepInfo, ItemsAreMaps) {
  EXPECT_THROW((SimpleSweep{List{1}}.points()), Error);
  EXPECT_THROW((SimpleSweep{Value("x")}.points()), Error);
  EXPECT_EQ((SimpleSweep{List{Dict{{"a", 1}}}}.points().size()), 1u);
}

std::vector<Dict> rates() { return {{{"lr", 0.1}}, {{"lr", 0.2}}}; }

TEST(SweepInfo, AListAFunctionOrMaps) {
  const auto lambda = [] { return rates(); };
  for (const SimpleSweep& sweep : {SimpleSweep{rates}, SimpleSweep{rates()}, SimpleSweep{lambda}}) {
    const auto points = sweep.points();
    ASSERT_EQ(points.size(), 2u);
    EXPECT_EQ(Value(points[1].job_kwargs), Value(Dict{{"lr", 0.2}}));
  }
  konfig::Poly<SweepInfo> sweep = SimpleSweep{rates};
  EXPECT_EQ(
      konfig::to_json(konfig::lower(Experiment{.sweep_info = sweep})["sweep_info"]),
      konfig::to_json(konfig::lower(Experiment{
          .sweep_info = SimpleSweep{List{Dict{{"lr", 0.1}}, Dict{{"lr", 0.2}}}}})["sweep_info"]));
}

}  // namespace
}  // namespace kxm
