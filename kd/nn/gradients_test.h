// Gradients against finite differences, in float64.
#pragma once

#include <algorithm>
#include <functional>

#include "kd/core/grad.h"
#include "kd/core/ops.h"
#include "kd/nn/engine/apply.h"
#include "kd/random/sample.h"

namespace kd::nn {

// The largest error, relative to 1, of d f / d tree, where f gives a tensor that is summed with
// random weights. At most `per_tensor` elements of each tensor are tried.
inline double gradient_error(const std::function<Tensor(const Tree&)>& f, const Tree& at,
                             std::int64_t per_tensor = 12) {
  constexpr double kStep = 1e-5;
  Tree exact = map(at, [](const Tensor& t) { return t.to(at::kDouble); });
  Tensor weights;
  auto loss = [&](const Tree& tree) {
    Tensor out = f(tree);
    if (!weights.defined()) weights = random::normal(random::key(3), out.sizes(), at::kDouble);
    return (out * weights).sum();
  };
  Tree inputs = tracked(exact);
  std::vector<Tensor> grads = leaves(grad(loss(inputs), inputs));
  std::vector<Tensor> values = leaves(exact);
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t n = values[i].numel(), stride = std::max<std::int64_t>(1, n / per_tensor);
    for (std::int64_t j = 0; j < n; j += stride) {
      auto moved = [&](double by) {
        std::vector<Tensor> other = values;
        other[i] = values[i].clone();
        other[i].view({-1})[j] += by;
        return loss(unflatten(exact, other)).item<double>();
      };
      double slope = (moved(kStep) - moved(-kStep)) / (2 * kStep);
      double ours = grads[i].reshape({-1})[j].item<double>();
      worst = std::max(worst, std::abs(slope - ours) / std::max(1.0, std::abs(slope)));
    }
  }
  return worst;
}

}  // namespace kd::nn
