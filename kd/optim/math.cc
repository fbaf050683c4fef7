// Arithmetic of trees, as the reference does it.
#include "kd/optim/math_impl.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <ATen/ops/full_like.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include "base/join.h"
#include "kd/core/parallel.h"
#include "kd/optim/engine/kernels.h"
#include "kd/optim/zip_impl.h"
#include "konfig/error.h"

namespace kd::optim {

using konfig::Error;
using konfig::ErrorKind;

namespace {

bool is_half(const Tensor& tensor) {
  return tensor.scalar_type() == at::kBFloat16 || tensor.scalar_type() == at::kHalf;
}

// libtorch keeps a number wide when it meets a half-precision tensor; the reference rounds it.
double rounded(double value, at::ScalarType dtype) {
  switch (dtype) {
    case at::kBFloat16:
      return static_cast<float>(c10::BFloat16(static_cast<float>(value)));
    case at::kHalf:
      return static_cast<float>(c10::Half(static_cast<float>(value)));
    case at::kFloat:
      return static_cast<float>(value);
    default:
      return value;
  }
}

struct Operands {
  Tensor tensor;
  double number;
};
Operands meet(const Tensor& tensor, Number number) {
  if (!number.plain && is_half(tensor)) return {tensor.to(at::kFloat), number.value};
  return {tensor, rounded(number.value, tensor.scalar_type())};
}

}  // namespace

Tensor times(Number number, const Tensor& tensor) {
  auto [t, n] = meet(tensor, number);
  return t * n;
}

Tensor plus(const Tensor& tensor, Number number) {
  auto [t, n] = meet(tensor, number);
  return t + n;
}

Tensor divided(const Tensor& tensor, Number number) {
  auto [t, n] = meet(tensor, number);
  return t / n;
}

Tensor divided_by(const Tensor& tensor, float value) {
  return tensor / rounded(value, tensor.scalar_type());
}

Tensor root(const Tensor& tensor) {
  if (!tensor.is_cpu() || tensor.scalar_type() != at::kFloat) return tensor.sqrt();
  Tensor out = tensor.clone();
  float* x = out.mutable_data_ptr<float>();
  constexpr std::int64_t kGrain = 32768;
  parallel_for(out.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    kernels::root(x + begin, end - begin);
  });
  return out;
}

Tensor sign_of(const Tensor& tensor) {
  return at::where(tensor.isnan(), tensor, tensor.sign());  // libtorch's sign of NaN is 0
}

Tensor next_moment(const Tensor& g, const Tensor& moment, Number decay, int order) {
  return times({1 - decay.value, decay.plain}, order == 2 ? g * g : g) + times(decay, moment);
}

Tree next_moment(const Tree& grads, const Tree& moments, Number decay, int order) {
  return zip([&](const Tensor& g, const Tensor& m) { return next_moment(g, m, decay, order); },
             grads, moments);
}

float bias_correction(double decay, std::int32_t count) {
  return 1 - std::pow(static_cast<float>(decay), static_cast<float>(count));
}

Tree bias_corrected(const Tree& moments, double decay, std::int32_t count) {
  const float correction = bias_correction(decay, count);
  return zip([&](const Tensor& t) { return divided_by(t, correction); }, moments);
}

Number ema_decay(double decay, bool debias, std::int32_t count) {
  if (!debias) return decay;
  const float early =
      static_cast<float>(1 + std::int64_t{count}) / static_cast<float>(10 + std::int64_t{count});
  return {std::min(static_cast<float>(decay), early), /*is_plain=*/false};
}

Tree over_root(const Tree& m, const Tree& v, double eps_root, double eps) {
  return zip(
      [&](const Tensor& a, const Tensor& b) { return a / plus(root(plus(b, eps_root)), eps); }, m,
      v);
}

Tree nesterov_moment(const Tree& mu, const Tree& grads, double b1, std::int32_t count) {
  const float ahead = bias_correction(b1, after(count));
  const float now = bias_correction(b1, count);
  return zip(
      [&](const Tensor& m, const Tensor& g) {
        return times(b1, divided_by(m, ahead)) + times(1 - b1, divided_by(g, now));
      },
      mu, grads);
}

Tree zeros_like(const Tree& tree, std::optional<DType> dtype) {
  return zip(
      [&](const Tensor& t) {
        auto options = dtype ? t.options().dtype(scalar_type(*dtype)) : t.options();
        return at::zeros_like(t, options.requires_grad(false));
      },
      tree);
}

Tree full_like(const Tree& tree, double value) {
  return zip([&](const Tensor& t) { return at::full_like(t, value); }, tree);
}

Tree cast(const Tree& tree, std::optional<DType> dtype) {
  if (!dtype) return tree;
  return zip([&](const Tensor& t) { return t.to(scalar_type(*dtype)); }, tree);
}

Tree cast_like(const Tree& tree, const Tree& other) {
  return zip([](const Tensor& t, const Tensor& o) { return t.to(o.scalar_type()); }, tree, other);
}

Tree clone(const Tree& tree) {
  return zip([](const Tensor& t) { return t.clone(); }, tree);
}

Tree counter(std::int32_t value) {
  return at::scalar_tensor(value, at::TensorOptions().dtype(at::kInt));
}

std::int32_t count_of(const Tree& counter) { return counter.tensor().item<std::int32_t>(); }

std::int32_t after(std::int32_t count) {
  return count < std::numeric_limits<std::int32_t>::max() ? count + 1 : count;
}

Tree flag(bool value) { return at::scalar_tensor(value, at::TensorOptions().dtype(at::kBool)); }

bool flag_of(const Tree& flag) { return flag.tensor().item<bool>(); }

const Tree& field(const Tree& state, std::string_view type, std::string_view name) {
  if (state.type() != type) {
    throw Error(ErrorKind::value, "the optimizer's state has " + std::string(state.type()) +
                                      " where " + std::string(type) +
                                      " belongs: it was made by another optimizer; make it with "
                                      "optim::init, or load the matching checkpoint");
  }
  return state.at(name);
}

Tree empty_state() { return Tree::record("EmptyState"); }

void need_params(const Tree& params, std::string_view transformation) {
  if (!params.is_none()) return;
  throw Error(ErrorKind::value,
              std::string(transformation) +
                  " needs the current parameters: pass them to update(optimizer, grads, state, "
                  "params)");
}

std::string Place::text() const {
  if (!tree) return "";
  std::string up = above ? above->text() : "";
  if (!tree->has_names()) return up + "[" + std::to_string(child) + "]";
  return up.empty() ? tree->name(child) : up + "." + tree->name(child);
}

std::string structure_text(const Tree& tree) {
  constexpr std::size_t kMost = 8;
  std::string type(tree.type());
  if (!tree.has_names() || tree.size() == 0) return type;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(tree.size(), kMost); ++i) names.push_back(tree.name(i));
  if (tree.size() > kMost) names.emplace_back("...");
  return type + " of " + base::join(names, ", ");
}

void detail::fail_structure(const Place& place, const Tree& a, const Tree& b) {
  const std::string at = place.text();
  throw Error(ErrorKind::value,
              (at.empty() ? "the trees" : at) +
                  ": parameters, gradients and state differ: " + structure_text(a) + " against " +
                  structure_text(b) + "; was the state made for these parameters?");
}

}  // namespace kd::optim
