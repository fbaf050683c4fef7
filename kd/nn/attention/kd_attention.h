// Flax's attention of several heads, following the train property.
#pragma once

#include <optional>

#include "kd/nn/initializers/initializers_scaled.h"
#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"
#include "kd/nn/module/no_tensor.h"

namespace kd::nn {

// Projections `query`, `key` and `value` to heads, attention of each head, projection `out`. Drops
// weights only in training.
struct MultiHeadDotProductAttention : Module<MultiHeadDotProductAttention> {
  Required<int> num_heads;                 // divides the features
  std::optional<DType> dtype = {};         // of the computation; None: the widest
  DType param_dtype = DType::float32;      // of the parameters
  std::optional<int> qkv_features = {};    // of all heads; None: the input's
  std::optional<int> out_features = {};    // of the result; None: the input's
  bool broadcast_dropout = true;           // the same weights in all heads and examples
  double dropout_rate = 0.0;               // fraction of weights dropped
  std::optional<bool> deterministic = {};  // must stay None: the train property decides
  Precision precision = {};                // no effect: always full
  Poly<Initializer> kernel_init = initializers::lecun_normal();  // of the kernels
  Poly<Initializer> out_kernel_init = {};                        // of `out`; None: kernel_init
  Poly<Initializer> bias_init = initializers::zeros();           // of the biases
  Poly<Initializer> out_bias_init = {};                          // of `out`; None: bias_init
  bool use_bias = true;                                          // adds learned offsets
  Unused attention_fn = {};                                      // None only
  bool decode = false;                        // one position per call, earlier ones from a cache
  bool normalize_qk = false;                  // LayerNorm of queries and keys
  bool force_fp32_for_softmax = false;        // softmax in float32 at least
  Unused qkv_dot_general = {};                // None only
  Unused out_dot_general = {};                // None only
  Unused qkv_dot_general_cls = {};            // None only
  Unused out_dot_general_cls = {};            // None only
  Unused qk_attn_weights_einsum_cls = {};     // None only
  Unused attn_weights_value_einsum_cls = {};  // None only

  // Keys come from the queries' input, values from the keys', unless given. Where `mask`
  // (batch..., heads, queries, keys) is false, a query does not see a key.
  static constexpr std::string_view call_names[] = {"inputs_q", "inputs_k", "inputs_v", "mask"};
  Tensor call(const Tensor& inputs_q, const std::optional<Tensor>& inputs_k = no_tensor(),
              const std::optional<Tensor>& inputs_v = no_tensor(),
              const std::optional<Tensor>& mask = no_tensor()) const;
  void konfig_post_resolve(const konfig::ConfigDict& cfg);
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::MultiHeadDotProductAttention,
                 "kauldron.kd:nn.MultiHeadDotProductAttention");
