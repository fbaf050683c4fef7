// Attention with a choice of the softmax's axis and an additive bias.
#pragma once

#include <optional>

#include "kd/nn/initializers/initializers_scaled.h"
#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"
#include "kd/nn/module/no_tensor.h"

namespace kd::nn {

// What attention weights are made of.
struct AttentionInputs {
  const Tensor& query;  // (*b, q, h, d)
  const Tensor& key;    // (*b, k, h, d)
  const Ints& softmax_axis;
  const std::optional<Tensor>& bias;  // added, broadcast to (*b, h, q, k)
  const std::optional<Tensor>& mask;  // where it is false the weight is that of the lowest number
};

// softmax(query @ key / sqrt(d) + bias), in float32: (*b, h, q, k).
Tensor dot_product_attention_weights(const AttentionInputs& inputs);
using AttentionWeightsFn = konfig::Callable<Tensor(const AttentionInputs&)>;

// What a block's `from_spec` can say about its attention.
struct AttentionOptions {
  std::optional<int> qk_features = {};   // of all heads; None: the input's
  std::optional<int> v_features = {};    // of all heads; None: as the queries
  std::optional<int> out_features = {};  // of the result; None: the input's
  Ints softmax_axis = -1;                // -1: keys; -2: queries, as slots need it
  Poly<Initializer> kernel_init = initializers::lecun_normal();  // of the four kernels
  Poly<Initializer> bias_init = initializers::zeros();           // of the four biases
  bool use_bias = true;                                          // adds learned offsets
  AttentionWeightsFn attn_weights_fn = {};  // None: dot_product_attention_weights
  bool decode = false;                      // must be false: there is no cache
};

// Attention of several heads: projections `query`, `key`, `value` and `out`. The weights stand
// among the intermediates as `attn_weights`. Without dropout.
struct ImprovedMultiHeadDotProductAttention : Module<ImprovedMultiHeadDotProductAttention> {
  Required<int> num_heads;               // divides the features
  std::optional<int> qk_features = {};   // of all heads; None: the input's
  std::optional<int> v_features = {};    // of all heads; None: as the queries
  std::optional<int> out_features = {};  // of the result; None: the input's
  Ints softmax_axis = -1;                // -1: keys; -2: queries, as slots need it
  bool normalize_qk = false;             // LayerNorm of queries and keys
  Poly<Initializer> kernel_init = initializers::lecun_normal();  // of the four kernels
  Poly<Initializer> bias_init = initializers::zeros();           // of the four biases
  bool use_bias = true;                                          // adds learned offsets
  AttentionWeightsFn attn_weights_fn = {};  // None: dot_product_attention_weights
  bool decode = false;                      // must be false: there is no cache

  // Keys come from the queries' input, values from the keys', unless given.
  static constexpr std::string_view call_names[] = {"inputs_q", "inputs_k", "inputs_v", "bias",
                                                    "mask"};
  Tensor call(const Tensor& inputs_q, const std::optional<Tensor>& inputs_k = no_tensor(),
              const std::optional<Tensor>& inputs_v = no_tensor(),
              const std::optional<Tensor>& bias = no_tensor(),
              const std::optional<Tensor>& mask = no_tensor()) const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::ImprovedMultiHeadDotProductAttention,
                 "kauldron.kd:nn.ImprovedMultiHeadDotProductAttention");
