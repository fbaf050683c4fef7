// Trees as lists of leaves, and back; parts of trees.
#include "kontext/flatten.h"

#include <gtest/gtest.h>

#include "base/join.h"
#include "konfig/expect_test.h"
#include "kontext/filter.h"
#include "kontext/toys_test.h"

namespace kontext {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::ErrorKind;
using konfig::expect_error;
using konfig::List;
using konfig::Value;

std::string names(const std::vector<Leaf>& leaves) {
  return base::join(leaves, " ", [](auto& leaf) { return leaf.first.str(); });
}

TEST(Flatten, SortedWithoutNone) {
  Value tree =
      Dict{{"b", 1}, {"a", Dict{{"y", List{1, nullptr, 2}}, {"x", nullptr}}}, {"e", List{}}};
  EXPECT_EQ(names(flatten_with_path(tree)), "a.y[0] a.y[2] b");
  EXPECT_EQ(names(flatten_with_path(tree, {.prefix = "p.q"})),
            "['p.q'].a.y[0] ['p.q'].a.y[2] ['p.q'].b");
  EXPECT_EQ(
      names(flatten_with_path(tree, {.is_leaf = [](auto& t) { return t.shape() == Shape::list; }})),
      "a.y b e");
  EXPECT_EQ(names(flatten_with_path(Value(5))), "");
  EXPECT_EQ(flatten_with_path(Value(5)).size(), 1u);
  Value mixed = Dict{{1, 1}, {"a", 2}};
  expect_error(ErrorKind::value, {"different types"}, [&] { flatten_with_path(mixed); });
}

TEST(Flatten, Structs) {
  toys::Batch batch;
  EXPECT_EQ(
      names(flatten_with_path(batch)),
      "image boxes[0].score boxes[0].label boxes[1].score boxes[1].label ids['a b'] ids.b "
      "names[3] rates.a rates.z shared.score shared.label either pair[0] pair[1] bits[0] bits[1]");
}

TEST(Flatten, Configs) {
  ConfigDict cfg = {{"b", 1}, {"a", Dict{{"c", List{1, ConfigDict{{"d", 2}}}}}}};
  EXPECT_EQ(names(flatten_with_path(cfg)), "a.c[0] a.c[1] b");
}

TEST(Flatten, CyclesEnd) {
  List list{1};
  list.push_back(list);
  expect_error(ErrorKind::cycle, {"levels"}, [&] { flatten_with_path(list); });
  list.set(1, 0);  // the test must not leak
}

TEST(Unflatten, ListsAndMaps) {
  Value tree =
      unflatten({{"a.b"_path, 1}, {"a.c[1]"_path, 3}, {"a.c[0]"_path, 2}, {"[5]"_path, 4}});
  EXPECT_EQ(tree, Value(Dict{{"a", Dict{{"b", 1}, {"c", List{2, 3}}}}, {5, 4}}));
  EXPECT_EQ(unflatten({}), Value(Dict{}));
  EXPECT_EQ(unflatten({{Path(), 3}}), Value(3));
  expect_error(ErrorKind::value, {"a.b: ", "below"}, [] {
    unflatten({{"a"_path, 1}, {"a.b"_path, 2}});
  });
  expect_error(ErrorKind::value, {"a: given twice"}, [] {
    unflatten({{"a"_path, 1}, {"a"_path, 2}});
  });
}

TEST(Filter, ValuesKeepTheirTypes) {
  Value tree = List{Dict{},
                    Dict{{"a", Dict{{"c", 1}}}, {"b", 1}},
                    Dict{{"c", 1}},
                    Dict{},
                    Dict{{"a2", Dict{{"c", 1}, {"b", 1}}}, {"b", 1}},
                    Dict{{"c", 2}},
                    Dict{{"b", 1}}};
  EXPECT_EQ(filter_by_path(tree, "**.c"),
            Value(List{Dict{{"a", Dict{{"c", 1}}}}, Dict{{"c", 1}}, Dict{{"a2", Dict{{"c", 1}}}},
                       Dict{{"c", 2}}}));
  EXPECT_EQ(filter_by_path(tree, "**"), tree);
  EXPECT_EQ(filter_by_path(tree, "[-1]"), Value(List{Dict{{"b", 1}}}));
  EXPECT_EQ(filter_by_path(tree, "**.nope"), Value(List{}));
  EXPECT_EQ(filter_by_path(Value(1), "**.nope"), Value());
  expect_error(ErrorKind::key, {"[0].c: ", "there are: none"},
               [&] { filter_by_path(tree, "*.c"); });
  expect_error(ErrorKind::index, {"[9]: "}, [&] { filter_by_path(tree, "[9]"); });
  expect_error(ErrorKind::value, {"[2].c.d: an int is kept whole"},
               [&] { filter_by_path(tree, "[2].c.d"); });
}

TEST(Filter, NestedMatchesAreAllKept) {
  Value tree = Dict{{"b", Dict{{"a", 1}, {"b", Dict{{"a", 2}, {"z", 0}}}}}};
  EXPECT_EQ(filter_by_path(tree, "**.b.a"),
            Value(Dict{{"b", Dict{{"a", 1}, {"b", Dict{{"a", 2}}}}}}));
  EXPECT_EQ(filter_by_path(tree, "**.b.**.z"), Value(Dict{{"b", Dict{{"b", Dict{{"z", 0}}}}}}));
  EXPECT_EQ(filter_by_path(tree, "b.a.**.z"), Value(Dict{}));
  EXPECT_EQ(filter_by_path(Value(Dict{{"e", Dict{}}, {"f", 1}}), "e.*"),
            Value(Dict{{"e", Dict{}}}));
  expect_error(ErrorKind::value, {"b.a.*: an int is kept whole"},
               [&] { filter_by_path(tree, "b.a.*"); });
  expect_error(ErrorKind::type, {"a slice"}, [&] { filter_by_path(tree, "**[0:1]"); });
  Value lists = List{List{1, 2}, List{3, 4}};
  EXPECT_EQ(filter_by_path(lists, "**[0]"), Value(List{List{1, 2}, List{3}}));
}

TEST(Filter, TypedTrees) {
  std::map<std::string, std::vector<std::map<std::string, int>>> tree = {
      {"a", {{{"x", 1}, {"y", 2}}, {{"y", 3}}}}, {"b", {}}};
  auto chosen = filter_by_path(tree, "**.x");
  EXPECT_EQ(chosen.size(), 1u);
  EXPECT_EQ(chosen.at("a"), (std::vector<std::map<std::string, int>>{{{"x", 1}}}));
  std::map<std::string, std::optional<std::map<std::string, toys::Box>>> boxes = {
      {"one", {{{"u", {}}, {"v", {}}}}}, {"none", {}}};
  auto some = filter_by_path(boxes, "one.u");
  EXPECT_EQ(some.at("one")->size(), 1u);
  EXPECT_EQ(some.at("one")->at("u").label, "cat");
  ConfigDict cfg = {{"a", Dict{{"b", 1}, {"c", 2}}}};
  EXPECT_EQ(filter_by_path(cfg, "a.b"), (ConfigDict{{"a", Dict{{"b", 1}}}}));
}

}  // namespace
}  // namespace kontext
