// Attention with a choice of the softmax's axis.
#include "kd/nn/attention/improved_attention.h"

#include <ATen/ops/amax.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <limits>

#include "kd/nn/engine/dtype_of.h"
#include "kd/nn/engine/promote.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/layers/dense.h"
#include "kd/nn/layers/norm.h"
#include "kd/nn/module/invoke.h"
#include "kd/nn/shapes_impl.h"
#include "konfig/register.h"

namespace kd::nn {

const std::optional<Tensor>& no_tensor() {
  static const std::optional<Tensor> none;
  return none;
}

namespace {

using OptionalTensor = std::optional<Tensor>;

// What masked weights are before the softmax: finite, so that a row without any key stays defined.
double lowest(at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return std::numeric_limits<double>::lowest();
    case at::kHalf:
      return -65504.0;
    case at::kBFloat16:
      return -3.3895313892515355e38;
    default:
      return std::numeric_limits<float>::lowest();
  }
}

Tensor softmax_over(const Tensor& x, const Ints& axis) {
  auto axes = detail::normalized(axis, x.dim(), "softmax_axis");
  if (axes.size() == 1) return at::softmax(x, axes[0]);
  Tensor e = at::exp(x - at::amax(x, axes, true).detach());
  return e / at::sum(e, axes, true);
}

// (*b, n, h, d) to (b, h, n, d), with all batch dimensions as one.
Tensor heads_first(const Tensor& x) {
  return x.reshape({-1, x.size(-3), x.size(-2), x.size(-1)}).transpose(1, 2);
}

// What is added to the weights instead of a mask and a bias; of the shape (b or 1, h, q, k).
OptionalTensor as_bias(const OptionalTensor& bias, const OptionalTensor& mask,
                       const Tensor& query) {
  OptionalTensor out = bias;
  if (mask) {
    Tensor low = at::full({}, lowest(query.scalar_type()), query.options());
    out = at::where(*mask, bias ? *bias : at::full({}, 0.0, query.options()), low);
  }
  if (!out) return out;
  Tensor b = *out;
  while (b.dim() < query.dim()) b = b.unsqueeze(0);
  std::vector<std::int64_t> shape = query.sizes().slice(0, query.sizes().size() - 3).vec();
  for (int from_end : {-3, -2, -1}) shape.push_back(b.size(from_end));
  return b.expand(shape).reshape({-1, b.size(-3), b.size(-2), b.size(-1)});
}

void check_heads(const char* name, int features, int heads) {
  if (heads < 1 || features % heads != 0) {
    detail::fail("num_heads=" + std::to_string(heads) + " must divide " + name + "=" +
                 std::to_string(features));
  }
}

}  // namespace

Tensor dot_product_attention_weights(const AttentionInputs& in) {
  Tensor query = in.query / std::sqrt(static_cast<double>(in.query.size(-1)));
  Tensor weights = at::matmul(query.transpose(-3, -2), in.key.transpose(-3, -2).transpose(-2, -1));
  if (in.bias) weights = weights + *in.bias;
  if (in.mask) {
    Tensor low = at::full({}, lowest(weights.scalar_type()), weights.options());
    weights = at::where(*in.mask, weights, low);
  }
  auto type = weights.scalar_type();
  bool narrow = type == at::kHalf || type == at::kBFloat16;
  return cast(softmax_over(narrow ? weights.to(at::kFloat) : weights, in.softmax_axis), type);
}

Tensor ImprovedMultiHeadDotProductAttention::call(const Tensor& inputs_q,
                                                  const OptionalTensor& given_k,
                                                  const OptionalTensor& given_v,
                                                  const OptionalTensor& bias,
                                                  const OptionalTensor& mask) const {
  if (decode) {
    detail::fail(
        "decode must be False: this attention keeps no cache; use "
        "kd.nn.MultiHeadDotProductAttention, which does");
  }
  if (!given_k && given_v) detail::fail("inputs_v is given without inputs_k");
  const Tensor& inputs_k = given_k ? *given_k : inputs_q;
  const Tensor& inputs_v = given_v ? *given_v : inputs_k;
  int width = static_cast<int>(inputs_q.size(-1));
  int qk = qk_features.value_or(width), v = v_features.value_or(qk);
  check_heads("qk_features", qk, num_heads);
  check_heads("v_features", v, num_heads);

  auto project = [&](const char* name, const Tensor& x, int features) {
    return named(name, DenseGeneral{.features = Ints{num_heads, features / num_heads},
                                    .use_bias = use_bias,
                                    .dtype = dtype_of(x),
                                    .kernel_init = kernel_init,
                                    .bias_init = bias_init})(x);
  };
  Tensor query = project("query", inputs_q, qk);
  Tensor key = project("key", inputs_k, qk);
  Tensor value = project("value", inputs_v, v);
  if (normalize_qk) {
    auto normalize = [](const char* name, const Tensor& x) {
      return named(name, LayerNorm{.dtype = dtype_of(x), .use_bias = false})(x);
    };
    query = normalize("query_norm", query);
    key = normalize("key_norm", key);
  }

  // The weights themselves are made only when someone may look at them.
  Tensor x;
  bool plain = !attn_weights_fn && detail::normalized(softmax_axis, query.dim(), "softmax_axis") ==
                                       std::vector<std::int64_t>{query.dim() - 1};
  if (plain && !is_mutable("intermediates")) {
    x = at::scaled_dot_product_attention(heads_first(query), heads_first(key), heads_first(value),
                                         as_bias(bias, mask, query));
    auto shape = inputs_q.sizes().vec();
    shape.back() = num_heads;
    shape.push_back(v / num_heads);
    x = x.transpose(1, 2).reshape(shape);
  } else {
    AttentionInputs in{query, key, softmax_axis, bias, mask};
    Tensor weights = attn_weights_fn ? attn_weights_fn(in) : dot_product_attention_weights(in);
    sow("attn_weights", kontext::TreeRef::own(weights));
    x = at::matmul(weights, value.transpose(-3, -2)).transpose(-3, -2);
  }
  return named("out", DenseGeneral{.features = Ints(out_features.value_or(width)),
                                   .axis = Ints{-2, -1},
                                   .use_bias = use_bias,
                                   .dtype = dtype_of(x),
                                   .kernel_init = kernel_init,
                                   .bias_init = bias_init})(x);
}

}  // namespace kd::nn

KONFIG_CALLABLE("kauldron.modules.attention:dot_product_attention_weights",
                kd::nn::dot_product_attention_weights);
