#include "kd/core/tree.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/core/ops.h"
#include "konfig/expect_test.h"
#include "kontext/kontext.h"

namespace kd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tree params() {
  return Tree::dict(
      {{"encoder", Tree::dict({{"kernel", at::ones({2, 3})}, {"bias", at::zeros({3})}})},
       {"heads", Tree::list({Tree::dict({{"kernel", at::ones({3, 1})}})})}});
}

std::vector<std::string> paths(const Tree& tree) {
  std::vector<std::string> out;
  for (auto& [path, tensor] : flatten(tree)) out.push_back(path);
  return out;
}

using konfig::error_of;

struct Camera {
  Tensor pos;
};
struct Preds {
  std::vector<Camera> cameras;
};

TEST(Tree, DictsAreSortedRecordsAreNot) {
  EXPECT_THAT(paths(params()), ElementsAre("encoder.bias", "encoder.kernel", "heads[0].kernel"));
  Tree record = Tree::record("State", {{"mu", at::ones({1})}, {"count", at::zeros({})}});
  EXPECT_THAT(paths(record), ElementsAre("mu", "count"));
  EXPECT_EQ(count(params()), 12);
  EXPECT_EQ(byte_size(params()), 48);
}

TEST(Tree, ChildrenByName) {
  Tree tree = params();
  tree["encoder"]["scale"] = at::ones({3});
  EXPECT_THAT(paths(tree),
              ElementsAre("encoder.bias", "encoder.kernel", "encoder.scale", "heads[0].kernel"));
  EXPECT_TRUE(tree.at("encoder").erase("bias"));
  EXPECT_FALSE(tree.at("encoder").erase("bias"));
  EXPECT_THAT(error_of([&] { tree.at("encodr"); }), HasSubstr("did you mean 'encoder'"));
  EXPECT_THAT(error_of([&] { tree.tensor(); }), HasSubstr("expected a tensor, found dict"));
  EXPECT_THAT(error_of([&] { tree.push_back({}); }), HasSubstr("found dict"));
  EXPECT_THAT(error_of([] {
                Tree::dict({{"a", Tree()}, {"a", Tree()}});
              }),
              HasSubstr("two children"));
}

TEST(Tree, PathsReachIntoTensors) {
  Tree tree = Tree::dict({{"x", at::arange(24).view({2, 3, 4})}});
  auto get = [&](const char* path) { return kontext::get_by_path(tree, path); };
  EXPECT_EQ(get("x[1, 2, 3]").value(), konfig::Value(23));
  EXPECT_THAT(get("x[..., :2]").as<Tensor>().sizes().vec(), ElementsAre(2, 3, 2));
  EXPECT_THAT(get("x[-1]").as<Tensor>().sizes().vec(), ElementsAre(3, 4));
  EXPECT_THAT(get("x.T").as<Tensor>().sizes().vec(), ElementsAre(4, 3, 2));
  EXPECT_EQ(get("x.shape[1]").value(), konfig::Value(3));
  EXPECT_EQ(kontext::get_by_path<double>(tree, "x[0,0,1]"), 1.0);
  EXPECT_THAT(error_of([&] { get("x[2]"); }), HasSubstr("x[2]"));
  EXPECT_THAT(error_of([&] { get("x[0,0,0,0]"); }), HasSubstr("x[0,0,0,0]"));
  EXPECT_THAT(error_of([&] { get("y"); }), HasSubstr("there are: x"));
}

TEST(Tree, PathsReachIntoStructs) {
  Preds preds{.cameras = {{.pos = at::ones({3})}}};
  EXPECT_THAT(kontext::get_by_path(preds, "cameras[0].pos").as<Tensor>().sizes().vec(),
              ElementsAre(3));
  Tree tree;
  kontext::assign(tree, kontext::TreeRef(preds));
  EXPECT_THAT(paths(tree), ElementsAre("cameras[0].pos"));
}

TEST(Tree, SetByPath) {
  Tree tree = params();
  kontext::set_by_path(tree, "**.kernel", at::zeros({1}));
  EXPECT_EQ(count(tree), 5);
  kontext::set_by_path(tree, "encoder.new", 2.0);
  EXPECT_EQ(kontext::get_by_path<double>(tree, "encoder.new"), 2.0);
}

TEST(TreeOps, MapAndZip) {
  Tree doubled = map(params(), [](const Tensor& t) { return t + t; });
  EXPECT_EQ(doubled["encoder"]["kernel"].tensor().sum().item<float>(), 12);
  Tree sum = zip_map(params(), doubled, [](const Tensor& a, const Tensor& b) { return a + b; });
  EXPECT_EQ(sum["encoder"]["kernel"].tensor().sum().item<float>(), 18);
  EXPECT_THAT(paths(unflatten(params(), leaves(doubled))),
              ElementsAre("encoder.bias", "encoder.kernel", "heads[0].kernel"));
  EXPECT_THAT(error_of([&] { unflatten(params(), {}); }), HasSubstr("more than 0 leaves"));
}

TEST(TreeOps, StructureErrorsNameTheFirstDifference) {
  Tree other = params();
  other["encoder"].erase("bias");
  auto zip = [](const Tree& a, const Tree& b) {
    return error_of([&] { check_same_structure(a, b, {"params", "grads"}); });
  };
  EXPECT_THAT(zip(params(), other),
              HasSubstr("encoder.bias: params tree has a value, grads has none"));
  EXPECT_THAT(zip(other, params()),
              HasSubstr("encoder.bias: params tree has none, grads has a value"));
  other = params();
  other["heads"] = at::ones({1});
  EXPECT_THAT(zip(params(), other), HasSubstr("heads: params tree has list, grads has tensor"));
  EXPECT_EQ(zip(params(), params()), "");
}

TEST(TreeOps, Select) {
  EXPECT_THAT(paths(select(params(), "**.kernel")),
              ElementsAre("encoder.kernel", "heads[0].kernel"));
  EXPECT_THAT(paths(select(params(), "encoder")), ElementsAre("encoder.bias", "encoder.kernel"));
  EXPECT_THAT(paths(select_regex(params(), "enc.*bias$")), ElementsAre("encoder.bias"));
  EXPECT_THAT(error_of([] { select_regex(params(), "("); }), HasSubstr("no regular expression"));
  EXPECT_THAT(error_of([] { select_regex(params(), "nothing"); }), HasSubstr("'nothing'"));
  EXPECT_THAT(error_of([] { select(params(), "**.nothing"); }), HasSubstr("**.nothing"));
}

TEST(TreeOps, OneLeafAndEmpty) {
  EXPECT_EQ(count(Tree()), 0);
  EXPECT_THAT(paths(Tree(at::ones({}))), ElementsAre(""));
  EXPECT_TRUE(leaves(Tree::dict()).empty());
  EXPECT_TRUE(map(Tree(), [](const Tensor& t) { return t; }).is_none());
}

}  // namespace
}  // namespace kd
