// Flax's Dropout.
#include "kd/nn/layers/dropout.h"

#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include "kd/nn/arguments_impl.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/module/invoke.h"
#include "kd/random/sample.h"

namespace kd::nn::linen {

Tensor Dropout::call(const Tensor& inputs, const std::optional<bool>& argument,
                     const std::optional<random::Key>& rng) const {
  bool keeps_all = detail::either("deterministic", deterministic, argument);
  if (rate < 0 || rate > 1) {
    detail::fail("rate is " + std::to_string(rate) + ", it must be from 0 to 1");
  }
  if (rate == 0 || keeps_all) return inputs;
  if (rate == 1) return at::zeros_like(inputs);
  double kept = 1 - rate;
  std::vector<std::int64_t> shape = inputs.sizes().vec();
  for (auto dim : broadcast_dims.list()) {
    shape[static_cast<std::size_t>(detail::normalized(dim, inputs.dim(), "broadcast_dims"))] = 1;
  }
  random::Key key = rng ? *rng : make_rng(rng_collection);
  Tensor mask = random::bernoulli(key, shape, kept).to(inputs.device());
  return at::where(mask, inputs / kept, 0);
}

}  // namespace kd::nn::linen
