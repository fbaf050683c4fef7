// Flax's attention, told what the train property says.
#include "kd/nn/kd_attention.h"

#include "kd/nn/attention.h"
#include "kd/nn/invoke.h"
#include "kd/nn/scope.h"
#include "kd/nn/shapes_impl.h"

namespace kd::nn {

Tensor MultiHeadDotProductAttention::call(const Tensor& inputs_q,
                                          const std::optional<Tensor>& inputs_k,
                                          const std::optional<Tensor>& inputs_v,
                                          const std::optional<Tensor>& mask) const {
  if (deterministic) detail::fail("deterministic is given, but the train property decides");
  // Flax's layer is a base class in the reference: it has the same scope, and leaves a record too.
  auto flax = named(
      "", linen::MultiHeadDotProductAttention{.num_heads = num_heads,
                                              .dtype = dtype,
                                              .param_dtype = param_dtype,
                                              .qkv_features = qkv_features,
                                              .out_features = out_features,
                                              .broadcast_dropout = broadcast_dropout,
                                              .dropout_rate = dropout_rate,
                                              .precision = precision,
                                              .kernel_init = kernel_init,
                                              .out_kernel_init = out_kernel_init,
                                              .bias_init = bias_init,
                                              .out_bias_init = out_bias_init,
                                              .use_bias = use_bias,
                                              .decode = decode,
                                              .normalize_qk = normalize_qk,
                                              .force_fp32_for_softmax = force_fp32_for_softmax});
  return flax(inputs_q, inputs_k, inputs_v, no_tensor(), mask, !is_training());
}

}  // namespace kd::nn

KD_IMPLEMENT(kd::Module, kd::nn::MultiHeadDotProductAttention);
