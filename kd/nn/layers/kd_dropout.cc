// Dropout that follows the train property: Flax's, told what the property says.
#include "kd/nn/layers/kd_dropout.h"

#include "kd/nn/engine/scope.h"
#include "kd/nn/layers/dropout.h"
#include "kd/nn/shapes_impl.h"

namespace kd::nn {

Tensor Dropout::call(const Tensor& inputs, const std::optional<random::Key>& rng) const {
  if (deterministic) detail::fail("deterministic is given, but the train property decides");
  // Flax's layer is a base class in the reference: it has the same scope, and leaves a record too.
  return named("", linen::Dropout{.rate = rate,
                                  .broadcast_dims = broadcast_dims,
                                  .rng_collection = rng_collection})(inputs, !is_training(), rng);
}

}  // namespace kd::nn
