// Transformer blocks.
#include "kd/nn/models/transformer.h"

#include "kd/nn/engine/dtype_of.h"
#include "kd/nn/engine/promote.h"
#include "kd/nn/layers/dense.h"
#include "kd/nn/module/invoke.h"

namespace kd::nn {

namespace {

Tensor attend(const Poly<kd::Module>& attention, const Tensor& tokens,
              const std::optional<Tensor>& mask) {
  auto same = kontext::TreeRef::own(tokens);
  Arguments args{.keywords = {{"inputs_q", same}, {"inputs_k", same}, {"inputs_v", same}}};
  if (mask) args.keywords.emplace_back("mask", kontext::TreeRef::own(*mask));
  return call_module(attention, args);
}

Tensor cast_like(const Tensor& x, const Tensor& like) { return cast(x, like.scalar_type()); }

}  // namespace

Tensor TransformerMLP::call(const Tensor& inputs) const {
  int width = static_cast<int>(inputs.size(-1));
  auto dense = [&](int features, const Tensor& x) {
    return Dense{.features = features,
                 .dtype = dtype_of(x),
                 .kernel_init = kernel_init,
                 .bias_init = bias_init};
  };
  Tensor h = named("dense_in", dense(hidden_size.value_or(4 * width), inputs))(inputs);
  h = activation_fn(h);
  return named("dense_out", dense(width, h))(h);
}

Tensor PreNormBlock::call(const Tensor& tokens, const std::optional<Tensor>& mask) const {
  Tensor normed = cast_like(attention_norm(tokens), tokens);
  Tensor x = tokens + attend(attention, normed, mask);
  normed = cast_like(mlp_norm(x), x);
  return x + cast_like(mlp(normed), x);
}

Tensor PostNormBlock::call(const Tensor& tokens, const std::optional<Tensor>& mask) const {
  Tensor x = tokens + attend(attention, tokens, mask);
  x = x + Tensor(mlp(attention_norm(x)));
  return mlp_norm(x);
}

Tensor ParallelAttentionBlock::call(const Tensor& tokens) const {
  Tensor attended = attend(attention, attention_norm(tokens), no_tensor());
  Tensor mapped = mlp(mlp_norm(tokens));
  return tokens + attended + mapped;
}

}  // namespace kd::nn
