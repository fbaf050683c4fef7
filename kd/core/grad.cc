// Gradients by libtorch's autograd.
#include "kd/core/grad.h"

#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include "kd/core/ops.h"
#include "konfig/error.h"

namespace kd {

using konfig::Error;
using konfig::ErrorKind;

Tensor tracked(const Tensor& tensor) {
  if (!at::isFloatingType(tensor.scalar_type())) return tensor;
  return tensor.detach().requires_grad_();
}

Tree tracked(const Tree& tree) {
  return map(tree, [](const Tensor& tensor) { return tracked(tensor); });
}

std::vector<Tensor> grad(const Tensor& loss, const std::vector<Tensor>& inputs,
                         const GradOptions& options) {
  if (loss.numel() != 1) {
    throw Error(ErrorKind::value, "a gradient is of one number; the loss has " +
                                      std::to_string(loss.numel()) + " elements");
  }
  std::vector<Tensor> wanted;
  for (const Tensor& input : inputs) {
    if (input.requires_grad()) wanted.push_back(input);
  }
  std::vector<Tensor> found;
  if (loss.requires_grad() && !wanted.empty()) {
    found = torch::autograd::grad({loss}, wanted, /*grad_outputs=*/{},
                                  options.keep_graph || options.differentiable,
                                  options.differentiable, /*allow_unused=*/true);
  }
  std::vector<Tensor> out;
  std::size_t next = 0;
  for (const Tensor& input : inputs) {
    Tensor g = input.requires_grad() && !found.empty() ? found[next++] : Tensor();
    out.push_back(g.defined() ? g : at::zeros_like(input));
  }
  return out;
}

Tree grad(const Tensor& loss, const Tree& inputs, const GradOptions& options) {
  return unflatten(inputs, grad(loss, leaves(inputs), options));
}

}  // namespace kd
