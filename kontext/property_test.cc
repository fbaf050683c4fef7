// Properties of paths and trees over random inputs.
#include <gtest/gtest.h>

#include <cstdlib>

#include "konfig/random_test.h"
#include "kontext/kontext.h"

namespace kontext {
namespace {

using konfig::Complex;
using konfig::ConfigDict;
using konfig::Dict;
using konfig::List;
using konfig::RandomConfig;
using konfig::Tuple;
using konfig::Value;

const int kRuns = std::getenv("KD_TEST_FULL") ? 20000 : 300;

class RandomTree {
 public:
  explicit RandomTree(unsigned seed) : random_(seed, /*with_nan=*/false) {}
  int below(int n) { return random_.below(n); }

  Value axis() {
    auto bound = [&] {
      return below(2) ? std::optional<std::int64_t>(below(20) - 10) : std::nullopt;
    };
    switch (below(6)) {
      case 0:
        return below(40) - 20;
      case 1:
        return Slice{bound(), bound(), bound()};
      case 2:
        return Ellipsis{};
      case 3:
        return nullptr;
      case 4:
        return below(100) / 8.0;
      default:
        return Complex{below(2) ? 0.0 : below(9) - 4.0, below(9) / 2.0};
    }
  }
  Part part() {
    switch (below(8)) {
      case 0:
        return Part(below(2) == 0);
      case 1: {
        std::vector<Value> items;
        for (int i = below(4); i > 0; --i) items.push_back(axis());
        return Part(Axes(std::move(items)));
      }
      case 2: {  // with text, so that it has a notation
        std::vector<Value> items = {random_.text()};
        for (int i = below(3); i > 0; --i) items.push_back(below(3) ? axis() : Value(Tuple{1, 2}));
        return Part(Axes(std::move(items)));
      }
      case 3:
        return Part(axis());
      case 4:
        return Part(below(100) - 50);
      default:
        return Part(random_.text());
    }
  }
  std::vector<Part> parts(bool wildcards) {
    std::vector<Part> out;
    for (int i = below(6); i > 0; --i) {
      int kind = below(6);
      if (wildcards && kind == 0) out.push_back(Part::star());
      if (wildcards && kind == 1) out.push_back(Part::star_star());
      out.push_back(part());
    }
    return out;
  }

  // Lists are never empty and leaves never None, so that flattening loses nothing.
  Value tree(int depth) {
    if (depth == 0 || below(4) == 0) return below(100);
    if (below(3) == 0) {
      std::vector<Value> items;
      for (int i = 1 + below(3); i > 0; --i) items.push_back(tree(depth - 1));
      return List(std::move(items));
    }
    Dict out;
    for (int i = 1 + below(4); i > 0; --i) out.set("k" + random_.text(), tree(depth - 1));
    return out;
  }

 private:
  RandomConfig random_;
};

TEST(Property, PrintThenParse) {
  RandomTree random(1);
  for (int i = 0; i < kRuns; ++i) {
    GlobPath glob(random.parts(true));
    ASSERT_EQ(GlobPath::parse(glob.str()), glob) << glob;
    ASSERT_EQ(GlobPath::parse(glob.str()).hash(), glob.hash()) << glob;
    Path path(random.parts(false));
    ASSERT_EQ(Path::parse(path.str()), path) << path;
    ASSERT_EQ(Path::parse(path.str()).str(), path.str());
    Path tail(random.parts(false));
    ASSERT_EQ((path / tail).relative_to(path), tail);
    ASSERT_EQ((path / tail).slice({.stop = static_cast<std::int64_t>(path.size())}), path);
  }
}

TEST(Property, FlattenThenUnflatten) {
  RandomTree random(2);
  for (int i = 0; i < kRuns; ++i) {
    Value tree = random.tree(4);
    std::vector<std::pair<Path, Value>> leaves;
    for (auto& [path, leaf] : flatten_with_path(tree)) {
      leaves.emplace_back(path, leaf.value());
      ASSERT_EQ(get_by_path(tree, path).value(), leaf.value()) << path;
      ASSERT_EQ(get_by_path(tree, path.str()).value(), leaf.value()) << path;
    }
    ASSERT_EQ(unflatten(leaves), tree);
  }
}

TEST(Property, SetThenGet) {
  RandomTree random(3);
  for (int i = 0; i < kRuns; ++i) {
    Value tree = random.tree(4);
    auto leaves = flatten_with_path(tree);
    Path path =
        leaves[static_cast<std::size_t>(random.below(static_cast<int>(leaves.size())))].first;
    if (path.empty()) continue;
    auto count = leaves.size();
    leaves.clear();
    ASSERT_EQ(set_by_path(tree, path, "new"), std::vector<Path>{path});
    ASSERT_EQ(get_by_path<std::string>(tree, path), "new");
    ASSERT_EQ(flatten_with_path(tree).size(), count);
    // A pattern finds it too, and what the pattern reports is what changed.
    GlobPath pattern{Part::star_star(), path[-1]};
    auto changed = set_by_path(tree, pattern, "newer");
    ASSERT_FALSE(changed.empty());
    for (auto& place : changed) ASSERT_EQ(get_by_path<std::string>(tree, place), "newer");
    std::size_t found = 0;
    for (auto& leaf : flatten_with_path(tree)) found += leaf.second.value() == Value("newer");
    ASSERT_EQ(found, changed.size());
  }
}

TEST(Property, FilterKeepsLeavesAsTheyAre) {
  RandomTree random(4);
  for (int i = 0; i < kRuns; ++i) {
    Value tree = random.tree(4);
    auto leaves = flatten_with_path(tree);
    ASSERT_EQ(filter_by_path(tree, "**"), tree);
    Path path =
        leaves[static_cast<std::size_t>(random.below(static_cast<int>(leaves.size())))].first;
    Value one = filter_by_path(tree, GlobPath(path));
    auto left = flatten_with_path(one);
    ASSERT_EQ(left.size(), 1u) << path;
    ASSERT_EQ(left[0].second.value(), get_by_path(tree, path).value());
  }
}

TEST(Property, ConfigsAreTreesToo) {
  RandomConfig random(5, /*with_nan=*/false);
  for (int i = 0; i < kRuns; ++i) {
    ConfigDict cfg = random.config();
    try {
      for (auto& [path, leaf] : flatten_with_path(cfg)) {
        Value value = leaf.value();
        ASSERT_EQ(get_by_path(cfg, path).value(), value) << path;
      }
    } catch (const konfig::Error& e) {
      // Keys of different types have no order.
      ASSERT_NE(std::string(e.what()).find("no order"), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace kontext
