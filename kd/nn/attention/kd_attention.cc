// Flax's attention, told what the train property says.
#include "kd/nn/attention/kd_attention.h"

#include "kd/nn/attention/attention.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/shapes_impl.h"
#include "konfig/copy_fields.h"

namespace kd::nn {

Tensor MultiHeadDotProductAttention::call(const Tensor& inputs_q,
                                          const std::optional<Tensor>& inputs_k,
                                          const std::optional<Tensor>& inputs_v,
                                          const std::optional<Tensor>& mask) const {
  if (deterministic) detail::fail("deterministic is given, but the train property decides");
  linen::MultiHeadDotProductAttention flax;
  konfig::copy_fields(*this, flax);
  // Flax's layer is a base class in the reference: it has the same scope, and leaves a record too.
  return named("", flax)(inputs_q, inputs_k, inputs_v, no_tensor(), mask, !is_training());
}

}  // namespace kd::nn
