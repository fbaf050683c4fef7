// Sums in chunks of one size: libtorch splits a sum to one scalar by the number of threads, but
// adds up each row of a matrix in one thread.
#include "kd/metrics/engine/reduce.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/sum.h>

#include <vector>

namespace kd::metrics {
namespace {

constexpr std::int64_t kChunk = 4096;
// Below this libtorch uses one thread.
constexpr std::int64_t kOneThread = 32768;

Tensor sum_flat(const Tensor& flat, c10::ScalarType dtype) {
  if (flat.numel() < kOneThread) return at::sum(flat, dtype);
  std::int64_t whole = flat.numel() / kChunk * kChunk;
  Tensor sums = at::sum(flat.narrow(0, 0, whole).view({-1, kChunk}), {1}, false, dtype);
  if (whole < flat.numel()) {
    Tensor rest = at::sum(flat.narrow(0, whole, flat.numel() - whole), dtype);
    sums = at::cat({sums, rest.view({1})});
  }
  return sum_flat(sums, dtype);
}

bool is_small_float(c10::ScalarType dtype) { return dtype == at::kBFloat16 || dtype == at::kHalf; }

c10::ScalarType sum_dtype(c10::ScalarType dtype) {
  bool small_integer = c10::isIntegralType(dtype, true) && dtype != at::kLong;
  return small_integer ? at::kInt : dtype;
}

}  // namespace

Tensor sum_all(const Tensor& values) { return sum_all(values, sum_dtype(values.scalar_type())); }

Tensor sum_all(const Tensor& values, c10::ScalarType dtype) {
  Tensor sum = sum_flat(values.reshape({-1}), is_small_float(dtype) ? at::kFloat : dtype);
  return sum.to(dtype);
}

namespace {

// How many elements become one.
std::int64_t reduced_size(const Tensor& values, at::IntArrayRef axes) {
  std::int64_t size = 1;
  for (auto axis : axes) size *= values.size(axis);
  return size;
}

}  // namespace

Tensor sum_over(const Tensor& values, at::IntArrayRef axes, bool keepdim) {
  auto dtype = sum_dtype(values.scalar_type());
  if (reduced_size(values, axes) != values.numel() || values.numel() < kOneThread) {
    return at::sum(values, axes, keepdim, dtype);
  }
  std::vector<std::int64_t> ones(
      static_cast<std::size_t>(values.dim()) - (keepdim ? 0 : axes.size()), 1);
  return sum_all(values).view(ones);
}

Tensor mean_over(const Tensor& values, at::IntArrayRef axes, bool keepdim) {
  return sum_over(values, axes, keepdim) / static_cast<double>(reduced_size(values, axes));
}

}  // namespace kd::metrics
