// Distributions made of uniform and normal draws.
#include <ATen/ops/abs.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/tan.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <numbers>

#include "kd/random/sample.h"
#include "kd/random/source_impl.h"
#include "kd/random/special.h"
#include "konfig/error.h"

namespace kd::random {
namespace {

using detail::Format;
using detail::format_of;
using detail::round_to;

// Two draws of one shape from one key.
std::pair<Tensor, Tensor> two_uniforms(const char* what, const Key& key, Shape shape,
                                       ScalarType dtype) {
  detail::count_of(what, shape);
  std::vector<std::int64_t> both = {2};
  both.insert(both.end(), shape.begin(), shape.end());
  Tensor u = uniform(key, both, 0, 1, dtype);
  return {u.select(0, 0), u.select(0, 1)};
}

}  // namespace

Tensor gumbel(const Key& key, Shape shape, ScalarType dtype, Precision precision) {
  Format format = format_of("gumbel", dtype);
  if (precision == Precision::low) {
    return log(log(uniform(key, shape, format.tiny, 1, dtype)).neg_()).neg_();
  }
  auto [high, low] = two_uniforms("gumbel", key, shape, dtype);
  // Adding the finer bits to a number above a half would round up to 1.
  Tensor fine = high.add(low.mul(format.eps())).add(format.tiny);
  Tensor x = at::where(high.ge(0.5), high, fine);
  return log(log1p(x.neg()).neg_()).neg_();
}

Tensor exponential(const Key& key, Shape shape, ScalarType dtype) {
  format_of("exponential", dtype);
  return log1p(uniform(key, shape, 0, 1, dtype).neg_()).neg_();
}

Tensor laplace(const Key& key, Shape shape, ScalarType dtype) {
  Tensor u = uniform(key, shape, -format_of("laplace", dtype).below_one(), 1, dtype);
  return at::mul(at::sign(u), log1p(at::abs(u).neg_()));
}

Tensor logistic(const Key& key, Shape shape, ScalarType dtype) {
  Tensor x = uniform(key, shape, format_of("logistic", dtype).tiny, 1, dtype);
  return at::sub(log(x), log1p(x.neg()));
}

Tensor cauchy(const Key& key, Shape shape, ScalarType dtype) {
  Tensor u = uniform(key, shape, format_of("cauchy", dtype).eps(), 1, dtype);
  return at::tan(u.sub_(0.5).mul_(round_to(dtype, std::numbers::pi)));
}

Tensor rayleigh(const Key& key, Shape shape, const Tensor& scale, ScalarType dtype) {
  format_of("rayleigh", dtype);
  Tensor root = at::sqrt(log(uniform(key, shape, 0, 1, dtype)).mul_(-2));
  return detail::spread("rayleigh", "scale", scale, shape, dtype).mul(root);
}

Tensor rayleigh(const Key& key, Shape shape, double scale, ScalarType dtype) {
  format_of("rayleigh", dtype);
  Tensor root = at::sqrt(log(uniform(key, shape, 0, 1, dtype)).mul_(-2));
  return root.mul_(round_to(dtype, scale));
}

Tensor orthogonal(const Key& key, std::int64_t n, std::optional<std::int64_t> m, Shape shape,
                  ScalarType dtype) {
  std::int64_t columns = m.value_or(n);
  std::vector<std::int64_t> sizes = shape.vec();
  sizes.push_back(std::max(n, columns));
  sizes.push_back(std::min(n, columns));
  auto [q, r] = at::linalg_qr(normal(key, sizes, dtype));
  // A unique factorisation needs a positive diagonal.
  Tensor x = q.mul(at::sign(at::diagonal(r, 0, -2, -1)).unsqueeze(-2));
  return (n < columns ? x.transpose(-2, -1) : x).contiguous();
}

Tensor bernoulli(const Key& key, Shape shape, const Tensor& p, Precision precision) {
  auto dtype = p.scalar_type();
  Format format = format_of("bernoulli: p", dtype);
  Tensor chance = detail::spread("bernoulli", "p", p, shape, dtype);
  if (precision == Precision::low) return at::lt(uniform(key, shape, 0, 1, dtype), chance);
  auto [coarse, fine] = two_uniforms("bernoulli", key, shape, dtype);
  return at::lt(fine.mul(format.eps()), at::sub(chance, coarse));
}

Tensor rademacher(const Key& key, Shape shape, ScalarType dtype) {
  return bernoulli(key, shape).to(dtype).mul_(2).sub_(1);
}

}  // namespace kd::random
