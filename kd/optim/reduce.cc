// Sums in fixed pieces.
#include "kd/optim/reduce_impl.h"

#include <ATen/ops/full.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <vector>

#include "kd/core/parallel.h"
#include "kd/optim/engine/kernels.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/zip_impl.h"

namespace kd::optim {

namespace {

constexpr std::int64_t kPiece = 4096;

// `fn` gives the sum of a piece. Pieces are added up in order, in double.
template <class Fn>
std::vector<float> sum_pieces(const std::vector<Values>& values, const Fn& fn) {
  struct Piece {
    std::size_t of;
    const float* x;
    std::int64_t n;
    float sum;
  };
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::int64_t begin = 0; begin < values[i].n; begin += kPiece) {
      pieces.push_back({i, values[i].x + begin, std::min(kPiece, values[i].n - begin), 0});
    }
  }
  parallel_for(static_cast<std::int64_t>(pieces.size()), 8,
               [&](std::int64_t begin, std::int64_t end) {
                 for (; begin < end; ++begin) {
                   Piece& piece = pieces[static_cast<std::size_t>(begin)];
                   piece.sum = fn(piece.x, piece.n);
                 }
               });
  std::vector<double> totals(values.size(), 0);
  for (const Piece& piece : pieces) totals[piece.of] += piece.sum;
  return {totals.begin(), totals.end()};
}

// Any dtype but float32: in double where the tensor is, in float32 otherwise.
Tensor sum_wide(const Tensor& tensor) {
  const auto wide = tensor.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  Tensor x = tensor.to(wide).flatten();
  while (x.numel() > kPiece) {
    const std::int64_t whole = x.numel() / kPiece * kPiece;
    Tensor rest = x.slice(0, whole).sum();
    x = x.slice(0, 0, whole).view({-1, kPiece}).sum(1);
    x[0] += rest;
  }
  return x.sum().to(tensor.scalar_type());
}

bool is_simple(const Tensor& tensor) {
  return tensor.is_cpu() && tensor.scalar_type() == at::kFloat;
}

}  // namespace

std::vector<float> sums_of_squares(const std::vector<Values>& values) {
  return sum_pieces(values, kernels::sum_of_squares);
}

Tensor sum(const Tensor& tensor) {
  if (!is_simple(tensor)) return sum_wide(tensor);
  const Tensor flat = tensor.contiguous();
  const Values values{flat.const_data_ptr<float>(), flat.numel()};
  return at::full({}, sum_pieces({values}, kernels::sum)[0], tensor.options());
}

Tensor sum_of_squares(const Tensor& tensor) {
  if (!is_simple(tensor)) return sum_wide(tensor * tensor);
  const Tensor flat = tensor.contiguous();
  const Values values{flat.const_data_ptr<float>(), flat.numel()};
  return at::full({}, sums_of_squares({values})[0], tensor.options());
}

Tensor norm(const Tensor& tensor) { return root(sum_of_squares(tensor)); }

Tensor root_mean_square(const Tensor& tensor) {
  if (is_simple(tensor)) return root(sum_of_squares(tensor) / tensor.numel());
  // The mean is rounded once.
  const auto wide = tensor.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  Tensor squares = (tensor * tensor).to(wide);
  return root((sum(squares) / tensor.numel()).to(tensor.scalar_type()));
}

Tensor safe_norm(const Tensor& tensor, double min_norm) {
  Tensor size = norm(tensor);
  return at::where(size <= min_norm, at::full({}, min_norm, tensor.options()), size);
}

Tensor global_sum_of_squares(const Tree& tree) {
  Tensor total;
  each(tree, [&](const Tensor& leaf) {
    Tensor square = sum_of_squares(leaf);
    total = total.defined() ? total + square : square;
  });
  return total.defined() ? total : at::zeros({});
}

Tensor global_norm(const Tree& tree) { return root(global_sum_of_squares(tree)); }

bool all_finite(const Tree& tree) {
  bool finite = true;
  each(tree, [&](const Tensor& leaf) {
    if (finite) finite = leaf.isfinite().all().item<bool>();
  });
  return finite;
}

std::int32_t count_not_finite(const Tree& tree) {
  std::int64_t count = 0;
  each(tree, [&](const Tensor& leaf) {
    count += leaf.isfinite().logical_not().sum().item<std::int64_t>();
  });
  return static_cast<std::int32_t>(count);
}

}  // namespace kd::optim
