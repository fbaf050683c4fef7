#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kd/summaries/number_text_impl.h"

namespace kd::summaries::detail {
namespace {

Tensor f64(std::vector<double> values) { return at::tensor(values, at::kDouble); }

TEST(NumberText, WholeNumbers) {
  EXPECT_EQ(array_repr(at::tensor({4, 0, 30, -1}, at::kLong).view({2, 2})),
            "array([[ 4,  0],\n       [30, -1]])");
  EXPECT_EQ(array_text(at::tensor({1, 2, 3}, at::kInt)), "[1 2 3]");
  EXPECT_EQ(array_text(at::arange(7, 8, at::kLong).squeeze()), "7");
  EXPECT_EQ(array_text(at::zeros({0})), "[]");
}

TEST(NumberText, Floats) {
  EXPECT_EQ(array_repr(f64({1, 0.25, 0.5, 1.0 / 3}).view({2, 2}), 2),
            "array([[1.  , 0.25],\n       [0.5 , 0.33]])");
  EXPECT_EQ(array_repr(f64({0.125, 0.375}), 2), "array([0.12, 0.38])");
  EXPECT_EQ(array_text(at::tensor({0.1f, 0.2f})), "[0.1 0.2]");
  EXPECT_EQ(array_text(f64({0, 1})), "[0. 1.]");
  EXPECT_EQ(array_text(f64({1, std::nan(""), -INFINITY})), "[  1.  nan -inf]");
}

TEST(NumberText, PowersOfTen) {
  EXPECT_EQ(array_repr(f64({0.0005, 0.9}), 2), "array([5.e-04, 9.e-01])");
  EXPECT_EQ(array_repr(f64({0.00123456, 100}), 2), "array([1.23e-03, 1.00e+02])");
  EXPECT_EQ(array_text(f64({1e8})), "[1.e+08]");
}

TEST(NumberText, LongRowsAreWrapped) {
  EXPECT_EQ(array_repr(at::arange(30, at::kLong).view({1, 30})),
            "array([[ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15,\n"
            "        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]])");
}

TEST(NumberText, MoreAxes) {
  EXPECT_EQ(array_text(at::arange(8, at::kLong).view({2, 2, 2})),
            "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
}

}  // namespace
}  // namespace kd::summaries::detail
