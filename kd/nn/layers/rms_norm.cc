// RMSNorm over the last dimension in one pass forward and one backward.
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kd/core/parallel.h"
#include "kd/nn/kernels_impl.h"
#include "kd/nn/layers/norm_impl.h"

namespace kd::nn::detail {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

const float* data_or_null(const Tensor& t) {
  return t.defined() ? t.const_data_ptr<float>() : nullptr;
}

// The gradient in steps that have a gradient themselves.
variable_list slow_backward(const Tensor& x, const Tensor& scale, const Tensor& dy,
                            double epsilon) {
  Tensor inv = ((x * x).mean({-1}, /*keepdim=*/true) + epsilon).rsqrt();
  Tensor g = scale.defined() ? dy * scale : dy;
  Tensor dx = inv * (g - x * inv * inv * (g * x).mean({-1}, /*keepdim=*/true));
  Tensor dscale;
  if (scale.defined()) dscale = (dy * x * inv).reshape({-1, x.size(-1)}).sum(0);
  return {dx, dscale, Tensor()};
}

struct RmsNormFunction : torch::autograd::Function<RmsNormFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& given,
                        const std::optional<Tensor>& given_scale, double epsilon) {
    Tensor x = given.contiguous();
    Tensor scale = given_scale ? given_scale->contiguous() : Tensor();
    std::int64_t n = x.size(-1), rows = n == 0 ? 0 : x.numel() / n;
    Tensor y = at::empty_like(x), inv = at::empty({rows}, x.options());
    auto* in = x.const_data_ptr<float>();
    auto* factors = data_or_null(scale);
    auto* out = y.mutable_data_ptr<float>();
    auto* inverse = inv.mutable_data_ptr<float>();
    parallel_for(rows, grain(n), [&](std::int64_t begin, std::int64_t end) {
      kernels().rms_norm(in + begin * n, factors, end - begin, n, static_cast<float>(epsilon),
                         out + begin * n, inverse + begin);
    });
    context->save_for_backward({x, scale, inv});
    context->saved_data["epsilon"] = epsilon;
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    auto saved = context->get_saved_variables();
    Tensor x = saved[0], scale = saved[1], inv = saved[2];
    if (at::GradMode::is_enabled()) {
      return slow_backward(x, scale, grads[0], context->saved_data["epsilon"].toDouble());
    }
    Tensor dy = grads[0].contiguous(), dx = at::empty_like(x);
    std::int64_t n = x.size(-1), rows = inv.numel();
    // One sum per block of rows, so that the result does not depend on the number of threads.
    std::int64_t block = grain(n), blocks = (rows + block - 1) / block;
    Tensor sums = scale.defined() ? at::zeros({blocks, n}, x.options()) : Tensor();
    auto* in = x.const_data_ptr<float>();
    auto* grad = dy.const_data_ptr<float>();
    auto* factors = data_or_null(scale);
    auto* inverse = inv.const_data_ptr<float>();
    auto* out = dx.mutable_data_ptr<float>();
    auto* parts = sums.defined() ? sums.mutable_data_ptr<float>() : nullptr;
    parallel_for(blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b) {
        std::int64_t first = b * block, count = std::min(block, rows - first);
        kernels().rms_norm_backward(in + first * n, factors, inverse + first, grad + first * n,
                                    count, n, out + first * n, parts ? parts + b * n : nullptr);
      }
    });
    return {dx, sums.defined() ? sums.sum(0) : Tensor(), Tensor()};
  }

  // Rows that are worth a thread.
  static std::int64_t grain(std::int64_t n) {
    return std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(n, 1));
  }
};

}  // namespace

bool has_fast_rms_norm(const Tensor& x) { return x.scalar_type() == at::kFloat && x.is_cpu(); }

Tensor rms_norm(const Tensor& x, const Tensor& scale, double epsilon) {
  std::optional<Tensor> factors;
  if (scale.defined()) factors = scale;
  return RmsNormFunction::apply(x, factors, epsilon);
}

}  // namespace kd::nn::detail
