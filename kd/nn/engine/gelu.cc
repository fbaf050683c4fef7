// GELU in one pass forward and one backward.
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kd/core/parallel.h"
#include "kd/nn/engine/gelu_impl.h"
#include "kd/nn/kernels_impl.h"

namespace kd::nn::detail {

namespace {

constexpr std::int64_t kGrain = 16384;  // elements that are worth a thread

template <class F>
void in_parallel(std::int64_t n, const F& part) {
  parallel_for(n, kGrain, [&](std::int64_t begin, std::int64_t end) { part(begin, end - begin); });
}

struct Gelu : torch::autograd::Function<Gelu> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& given) {
    Tensor x = given.contiguous(), y = at::empty_like(x);
    auto* in = x.const_data_ptr<float>();
    auto* out = y.mutable_data_ptr<float>();
    in_parallel(x.numel(),
                [&](std::int64_t at, std::int64_t n) { kernels().gelu(in + at, n, out + at); });
    context->save_for_backward({x});
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grads) {
    Tensor x = context->get_saved_variables()[0];
    if (at::GradMode::is_enabled()) {
      return {at::gelu_backward(grads[0], x, "tanh")};  // the gradient of the gradient
    }
    Tensor dy = grads[0].contiguous(), dx = at::empty_like(x);
    auto* in = x.const_data_ptr<float>();
    auto* grad = dy.const_data_ptr<float>();
    auto* out = dx.mutable_data_ptr<float>();
    in_parallel(x.numel(), [&](std::int64_t at, std::int64_t n) {
      kernels().gelu_backward(in + at, grad + at, n, out + at);
    });
    return {dx};
  }
};

}  // namespace

Tensor tanh_gelu(const Tensor& x) {
  if (x.scalar_type() != at::kFloat || !x.is_cpu()) return at::gelu(x, "tanh");
  return Gelu::apply(x);
}

}  // namespace kd::nn::detail
