// Small trees for the tests of this directory.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>

#include <string>
#include <vector>

#include "kd/core/ops.h"
#include "kd/core/tree.h"
#include "konfig/expect_test.h"

namespace kd::optim {

inline Tensor vector(const std::vector<float>& values) { return at::tensor(values); }

// Leaves of several ranks and sizes, in a dict with a list in it.
inline Tree random_tree(std::uint64_t salt = 0, std::int64_t size = 7) {
  auto draw = [&, i = salt](at::IntArrayRef shape) mutable {
    Tensor x = at::randn(shape);
    return x * (1.0 + 0.1 * static_cast<double>(i++));
  };
  return Tree::dict({{"encoder", Tree::dict({{"kernel", draw({size, 3})}, {"bias", draw({3})}})},
                     {"heads", Tree::list({Tree::dict({{"kernel", draw({3, 2})}}),
                                           Tree::dict({{"bias", draw({size})}})})},
                     {"scale", draw({})}});
}

inline Tree copy_of(const Tree& tree) {
  return map(tree, [](const Tensor& t) { return t.clone(); });
}

// "" when both have the same structure and the same bits, NaN equal to NaN.
inline std::string bit_difference(const Tree& a, const Tree& b) {
  auto of_a = flatten(a), of_b = flatten(b);
  if (of_a.size() != of_b.size()) return "other leaves";
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    auto& [path, x] = of_a[i];
    const Tensor& y = of_b[i].second;
    if (path != of_b[i].first) return path + " against " + of_b[i].first;
    if (x.scalar_type() != y.scalar_type() || x.sizes() != y.sizes()) return path + ": other type";
    if (!((x == y).logical_or(x.isnan().logical_and(y.isnan()))).all().item<bool>()) {
      return path + ": other values";
    }
  }
  return "";
}

using konfig::error_of;

}  // namespace kd::optim
