// Transforms that choose elements by name, and those that only Python completes.
#include "kd/data/transforms/transforms_matching.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/data/engine/transform.h"
#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/load.h"
#include "konfig/resolve.h"

namespace kd::data::contrib {
namespace {

using konfig::error_of;
using ::testing::HasSubstr;

Step step(const std::string& name, const std::string& fields) {
  return bind(konfig::load<Poly<Transform>>(konfig::resolve(konfig::parse_json(
      R"({"__qualname__": "kauldron.kd:contrib.data.)" + name + "\"" + fields + "}"))));
}

TEST(Matching, ElementsByName) {
  const Tensor image = at::arange(12, at::kFloat).reshape({3, 2, 2});
  const Tree record =
      Tree::dict({{"image", image}, {"depth", image}, {"cam", Tree::dict({{"rgb_left", image}})}});
  const Tree flipped = step("FlipUpsideDown.matching_keys", "").map(record);
  EXPECT_TRUE(at::equal(flipped["image"].tensor(), image.flip({0})));
  EXPECT_TRUE(at::equal(flipped["cam"]["rgb_left"].tensor(), image.flip({0})));
  EXPECT_TRUE(at::equal(flipped["depth"].tensor(), image));

  const Tree range = step("ValueRange.matching_keys",
                          R"(, "vrange": [0, 1], "in_vrange": [0, 11], "strs": ["image", "depth"],
                          "strs_to_exclude": "mag")")
                         .map(record);
  EXPECT_TRUE(at::equal(range["image"].tensor(), image));
  EXPECT_EQ(range["depth"].tensor().max().item<float>(), 1);

  const Tree resized =
      step("Resize.matching_keys", R"(, "height": 6, "width": 4, "strs": "image")").map(record);
  EXPECT_EQ(resized["image"].tensor().sizes(), (std::vector<std::int64_t>{6, 4, 2}));
  EXPECT_EQ(resized["depth"].tensor().sizes(), image.sizes());
}

TEST(Matching, WhatOnlyPythonCanDoIsRefused) {
  EXPECT_THAT(error_of([] { step("FlipUpsideDown", ""); }), HasSubstr("no element is chosen"));
  EXPECT_THAT(error_of([] {
                step("FlipUpsideDown", R"(, "should_transform_pred": {"__const__": "my:fn"})");
              }),
              HasSubstr("should_transform_pred: expected None"));
  EXPECT_THAT(error_of([] { step("CreateMask", R"(, "key": "x")"); }),
              HasSubstr("use CreateRangeMask"));
  for (const char* name : {"ElementWiseTransformWithPredicate",
                           "ElementWiseRandomTransformWithPredicate", "RandomMapTransform"}) {
    EXPECT_THAT(error_of([&] { step(name, ""); }), HasSubstr("a base class")) << name;
  }
}

}  // namespace
}  // namespace kd::data::contrib
