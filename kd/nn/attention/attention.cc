// Flax's attention of several heads.
#include "kd/nn/attention/attention.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "base/shape_text.h"
#include "kd/nn/arguments_impl.h"
#include "kd/nn/engine/attention_functions.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/layers/dense.h"
#include "kd/nn/layers/norm.h"
#include "kd/nn/module/invoke.h"
#include "konfig/copy_fields.h"

namespace kd::nn::linen {

namespace {

using detail::fail;
using OptionalTensor = std::optional<Tensor>;

// Where keys and values come from.
std::pair<Tensor, Tensor> sources(const Tensor& q, const OptionalTensor& k, const OptionalTensor& v,
                                  const OptionalTensor& kv) {
  if (kv) {
    if (k || v) fail("inputs_kv stands for inputs_k and inputs_v, which must not be given then");
    return {*kv, *kv};
  }
  if (v && !k) fail("inputs_v is given without inputs_k");
  return {k ? *k : q, v ? *v : (k ? *k : q)};
}

// Keys and values of all positions so far; the new ones are stored. Adds to the mask that later
// positions are not there yet.
void use_cache(const Tensor& query, Tensor& key, Tensor& value, Tensor& mask) {
  Variable keys = variable("cache", "cached_key", [&] { return at::zeros_like(key); });
  Variable values = variable("cache", "cached_value", [&] { return at::zeros_like(value); });
  Variable index = variable("cache", "cache_index",
                            [&] { return at::zeros({}, key.options().dtype(at::kInt)); });
  if (is_initializing()) return;
  Tensor all_keys = keys.get();
  std::int64_t length = all_keys.size(-3);
  std::vector<std::int64_t> expected = all_keys.sizes().vec();
  expected[expected.size() - 3] = 1;
  if (query.sizes() != at::IntArrayRef(expected)) {
    fail("decode takes one position: the query should be " + base::tuple_text(expected) +
         ", it is " + base::tuple_text(query.sizes()));
  }
  auto now = index.get().item<std::int64_t>();
  if (now >= length) fail("the cache is full: it holds " + std::to_string(length) + " positions");
  auto stored = [&](const Variable& cache, const Tensor& next) {
    Tensor updated = cache.get().clone();
    updated.narrow(-3, now, 1).copy_(next.detach());
    cache.set(updated);
    return updated;
  };
  key = stored(keys, key);
  value = stored(values, value);
  index.set(index.get() + 1);
  std::vector<std::int64_t> shape(all_keys.sizes().begin(), all_keys.sizes().end() - 3);
  shape.insert(shape.end(), {1, 1, length});
  Tensor past = at::arange(length, index.get().options()) <= now;
  mask = combine_masks({mask, past.expand(shape)});
}

}  // namespace

Tensor MultiHeadDotProductAttention::call(const Tensor& inputs_q, const OptionalTensor& inputs_k,
                                          const OptionalTensor& inputs_v,
                                          const OptionalTensor& inputs_kv,
                                          const OptionalTensor& mask,
                                          const std::optional<bool>& argument,
                                          const std::optional<random::Key>& dropout_rng,
                                          const std::optional<bool>& sow_weights) const {
  if (inputs_q.dim() < 2) {
    fail("inputs are (batch..., length, features), this is " + base::tuple_text(inputs_q.sizes()));
  }
  auto [source_k, source_v] = sources(inputs_q, inputs_k, inputs_v, inputs_kv);
  std::int64_t heads = num_heads;
  std::int64_t inner = qkv_features ? *qkv_features : inputs_q.size(-1);
  std::int64_t outer = out_features ? *out_features : inputs_q.size(-1);
  if (heads < 1 || inner % heads != 0) {
    fail("num_heads " + std::to_string(heads) + " does not divide the " + std::to_string(inner) +
         " features");
  }
  auto project = [&](const char* name, const Tensor& x) {
    return named(name, DenseGeneral{.features = {heads, inner / heads},
                                    .use_bias = use_bias,
                                    .dtype = dtype,
                                    .param_dtype = param_dtype,
                                    .kernel_init = kernel_init,
                                    .bias_init = bias_init})(x);
  };
  Tensor query = project("query", inputs_q), key = project("key", source_k),
         value = project("value", source_v);
  if (normalize_qk) {
    LayerNorm norm{.dtype = dtype, .param_dtype = param_dtype, .use_bias = false};
    query = named("query_ln", norm)(query);
    key = named("key_ln", norm)(key);
  }
  AttentionArgs args{.mask = mask.value_or(Tensor()),
                     .broadcast_dropout = broadcast_dropout,
                     .dropout_rng = dropout_rng,
                     .dropout_rate = dropout_rate,
                     .deterministic = true,
                     .dtype = dtype,
                     .force_fp32_for_softmax = force_fp32_for_softmax,
                     .sow_weights = sow_weights.value_or(false)};
  if (decode) use_cache(query, key, value, args.mask);
  if (dropout_rate > 0) {
    args.deterministic = detail::either("deterministic", deterministic, argument);
    if (!args.deterministic && !dropout_rng) args.dropout_rng = make_rng("dropout");
  }
  Tensor attended = dot_product_attention(query, key, value, args);
  return named("out",
               DenseGeneral{.features = outer,
                            .axis = {-2, -1},
                            .use_bias = use_bias,
                            .dtype = dtype,
                            .param_dtype = param_dtype,
                            .kernel_init = out_kernel_init ? out_kernel_init : kernel_init,
                            .bias_init = out_bias_init ? out_bias_init : bias_init})(attended);
}

Tensor SelfAttention::call(const Tensor& inputs_q, const OptionalTensor& mask,
                           const std::optional<bool>& argument,
                           const std::optional<random::Key>& dropout_rng,
                           const std::optional<bool>& sow_weights) const {
  MultiHeadDotProductAttention attention;
  konfig::copy_fields(*this, attention);
  return named("", attention)(inputs_q, no_tensor(), no_tensor(), no_tensor(), mask, argument,
                              dropout_rng, sow_weights);
}

}  // namespace kd::nn::linen
