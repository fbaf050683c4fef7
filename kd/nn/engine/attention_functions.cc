// Attention as functions, and the masks for it.
#include "kd/nn/engine/attention_functions.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <limits>

#include "base/shape_text.h"
#include "kd/nn/engine/promote.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/shapes_impl.h"
#include "kd/random/sample.h"

namespace kd::nn {

using detail::fail;

namespace linen {

namespace {

// What a masked weight is before the softmax: finite, so that a query without any key still gets
// numbers.
double lowest(at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return std::numeric_limits<double>::lowest();
    case at::kHalf:
      return std::numeric_limits<c10::Half>::lowest();
    case at::kBFloat16:
      return std::numeric_limits<c10::BFloat16>::lowest();
    default:
      return std::numeric_limits<float>::lowest();
  }
}

Tensor as_bool(const Tensor& mask) { return mask.scalar_type() == at::kBool ? mask : mask != 0; }

void check(const char* what, const Tensor& a, const Tensor& b, std::int64_t same_from_end) {
  auto outer = [](const Tensor& t) { return t.sizes().slice(0, t.sizes().size() - 3); };
  bool fits = a.dim() >= 3 && a.dim() == b.dim() && outer(a) == outer(b) &&
              a.size(-2) == b.size(-2) && a.size(same_from_end) == b.size(same_from_end);
  if (!fits) {
    fail(std::string(what) + " do not fit: " + base::tuple_text(a.sizes()) + " and " +
         base::tuple_text(b.sizes()) + "; they are (batch..., length, heads, features)");
  }
}

bool drops(const AttentionArgs& args) { return !args.deterministic && args.dropout_rate > 0; }

// Weights that are not dropped are scaled up.
Tensor drop(const Tensor& weights, const AttentionArgs& args) {
  if (!args.dropout_rng) fail("dropout_rng is needed to drop attention weights");
  double kept = 1 - args.dropout_rate;
  std::vector<std::int64_t> shape = weights.sizes().vec();
  if (args.broadcast_dropout) {
    std::fill(shape.begin(), shape.end() - 2, 1);
  }
  Tensor keep = random::bernoulli(*args.dropout_rng, shape, kept).to(weights.device());
  return weights * (keep.to(weights.scalar_type()) / kept);
}

// The bias where the mask is true, the lowest number elsewhere; undefined without both. Of the
// shape (batch or 1, heads or 1, q or 1, k).
Tensor added(const AttentionArgs& args, const Tensor& query, std::int64_t keys) {
  Tensor out = args.bias.defined() ? cast(args.bias, query.scalar_type()) : Tensor();
  if (args.mask.defined()) {
    Tensor zero = at::full({}, 0.0, query.options());
    Tensor low = at::full({}, lowest(query.scalar_type()), query.options());
    out = at::where(as_bool(args.mask), out.defined() ? out : zero, low);
  }
  if (!out.defined()) return out;
  std::vector<std::int64_t> shape(
      static_cast<std::size_t>(std::max<std::int64_t>(query.dim() - out.dim(), 0)), 1);
  shape.insert(shape.end(), out.sizes().begin(), out.sizes().end());
  out = out.reshape(shape);
  if (out.dim() != 4) {  // several batch dimensions, or none
    std::vector<std::int64_t> wide(query.sizes().begin(), query.sizes().end() - 3);
    wide.insert(wide.end(), {out.size(-3), out.size(-2), out.size(-1)});
    out = out.expand(wide).reshape({-1, out.size(-3), out.size(-2), out.size(-1)});
  }
  return out.size(-1) == keys ? out : out.expand({out.size(0), out.size(1), out.size(2), keys});
}

// (batch..., n, h, d) to (b, h, n, d).
Tensor heads_first(const Tensor& x) {
  std::int64_t batch = detail::product(x.sizes().slice(0, x.sizes().size() - 3));
  return x.reshape({batch, x.size(-3), x.size(-2), x.size(-1)}).transpose(1, 2);
}

// One kernel for all steps. A query that sees no key has equal weights, which its own value does
// not change: it counts as zero.
Tensor fused(const Tensor& query, const Tensor& key, const Tensor& value,
             const AttentionArgs& args) {
  Tensor q = heads_first(query), k = heads_first(key), v = heads_first(value);
  Tensor bias = added(args, query, key.size(-3));
  if (args.mask.defined()) {
    Tensor seen = bias.gt(lowest(query.scalar_type())).any(-1, /*keepdim=*/true);
    q = at::where(seen, q, 0);
  }
  std::optional<Tensor> attn_mask;
  if (bias.defined()) attn_mask = bias;
  Tensor y = at::scaled_dot_product_attention(q, k, v, attn_mask);
  std::vector<std::int64_t> shape = query.sizes().vec();
  shape.back() = value.size(-1);
  return y.transpose(1, 2).reshape(shape);
}

}  // namespace

Tensor dot_product_attention_weights(const Tensor& given_query, const Tensor& given_key,
                                     const AttentionArgs& args) {
  auto type = computation_type(args.dtype, {&given_query, &given_key});
  Tensor query = cast(given_query, type), key = cast(given_key, type);
  check("queries and keys", query, key, -1);
  query = query / std::sqrt(static_cast<double>(query.size(-1)));
  Tensor weights = at::matmul(query.transpose(-3, -2), key.movedim(-3, -1));
  if (args.bias.defined()) weights = weights + args.bias;
  if (args.mask.defined()) {
    weights = at::where(as_bool(args.mask), weights, lowest(type));
  }
  bool wide = args.force_fp32_for_softmax && type != at::kFloat;
  weights = wide ? at::softmax(weights.to(at::kFloat), -1) : cast(at::softmax(weights, -1), type);
  if (args.sow_weights) sow("attention_weights", kontext::TreeRef::own(weights));
  return drops(args) ? drop(weights, args) : weights;
}

Tensor dot_product_attention(const Tensor& given_query, const Tensor& given_key,
                             const Tensor& given_value, const AttentionArgs& args) {
  auto type = computation_type(args.dtype, {&given_query, &given_key, &given_value});
  Tensor query = cast(given_query, type), key = cast(given_key, type),
         value = cast(given_value, type);
  check("queries and keys", query, key, -1);
  check("keys and values", key, value, -3);
  bool keeps_weights = args.sow_weights && is_mutable("intermediates");
  bool simple = !drops(args) && !keeps_weights && !args.force_fp32_for_softmax;
  if (simple && query.numel() > 0 && value.numel() > 0) return fused(query, key, value, args);
  Tensor weights = dot_product_attention_weights(query, key, args);
  auto widest = c10::promoteTypes(weights.scalar_type(), type);
  return at::matmul(cast(weights, widest), cast(value, widest).transpose(-3, -2)).transpose(-3, -2);
}

}  // namespace linen

Tensor make_attention_mask(const Tensor& query_input, const Tensor& key_input,
                           const Pairwise& pairwise_fn, int extra_batch_dims, DType dtype) {
  Tensor q = query_input.unsqueeze(-1), k = key_input.unsqueeze(-2);
  Tensor mask = (pairwise_fn ? pairwise_fn(q, k) : q * k).unsqueeze(-3);
  for (int i = 0; i < extra_batch_dims; ++i) mask = mask.unsqueeze(0);
  return mask.to(scalar_type(dtype));
}

Tensor make_causal_mask(const Tensor& x, int extra_batch_dims, DType dtype) {
  if (x.dim() == 0) fail("a causal mask needs a length, the input is a single number");
  Tensor places = at::arange(x.size(-1), x.options().dtype(at::kInt)).expand(x.sizes());
  return make_attention_mask(
      places, places, [](const Tensor& q, const Tensor& k) { return q >= k; }, extra_batch_dims,
      dtype);
}

Tensor combine_masks(std::initializer_list<Tensor> masks, DType dtype) {
  Tensor out;
  for (const Tensor& mask : masks) {
    if (!mask.defined()) continue;
    if (out.defined() && out.dim() != mask.dim()) {
      fail("masks of different rank: " + base::tuple_text(out.sizes()) + " and " +
           base::tuple_text(mask.sizes()));
    }
    out = out.defined() ? at::logical_and(out, mask) : mask;
  }
  return out.defined() ? out.to(scalar_type(dtype)) : out;
}

}  // namespace kd::nn
