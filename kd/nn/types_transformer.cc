// Registers the transformer blocks and how they are made from a few numbers.
#include "kd/nn/transformer.h"

namespace kd::nn {

namespace {

template <class Block>
Block make_block(const BlockSpec<Block>& spec) {
  AttentionOptions attention = spec.attn_kwargs.value_or(AttentionOptions());
  MlpOptions mlp = spec.mlp_kwargs.value_or(MlpOptions());
  Block block;
  block.attention =
      ImprovedMultiHeadDotProductAttention{.num_heads = spec.num_heads,
                                           .qk_features = attention.qk_features,
                                           .v_features = attention.v_features,
                                           .out_features = attention.out_features,
                                           .softmax_axis = attention.softmax_axis,
                                           .normalize_qk = spec.normalize_qk,
                                           .kernel_init = attention.kernel_init,
                                           .bias_init = attention.bias_init,
                                           .use_bias = attention.use_bias,
                                           .attn_weights_fn = attention.attn_weights_fn,
                                           .decode = attention.decode};
  block.mlp = TransformerMLP{.hidden_size = spec.mlp_size,
                             .activation_fn = mlp.activation_fn,
                             .kernel_init = mlp.kernel_init,
                             .bias_init = mlp.bias_init};
  if (spec.attention_norm) block.attention_norm = spec.attention_norm;
  if (spec.mlp_norm) block.mlp_norm = spec.mlp_norm;
  return block;
}

template <class Block>
Poly<kd::Module> from_parts(const BlockParts& parts) {
  Block block;
  block.attention_norm = parts.attention_norm;
  block.mlp_norm = parts.mlp_norm;
  block.attention = parts.attention;
  block.mlp = parts.mlp;
  return block;
}

}  // namespace

PreNormBlock PreNormBlock::from_spec(const BlockSpec<PreNormBlock>& spec) {
  return make_block(spec);
}
PostNormBlock PostNormBlock::from_spec(const BlockSpec<PostNormBlock>& spec) {
  return make_block(spec);
}
ParallelAttentionBlock ParallelAttentionBlock::from_spec(
    const BlockSpec<ParallelAttentionBlock>& spec) {
  return make_block(spec);
}

}  // namespace kd::nn

// As functions first: the types themselves take over the names, except where a BlockType is wanted.
KONFIG_CALLABLE("kauldron.kd:nn.PreNormBlock", kd::nn::from_parts<kd::nn::PreNormBlock>);
KONFIG_CALLABLE("kauldron.kd:nn.PostNormBlock", kd::nn::from_parts<kd::nn::PostNormBlock>);
KONFIG_CALLABLE("kauldron.kd:nn.ParallelAttentionBlock",
                kd::nn::from_parts<kd::nn::ParallelAttentionBlock>);
KONFIG_REGISTER(kd::nn::ImprovedMultiHeadDotProductAttention);
KONFIG_REGISTER(kd::nn::TransformerMLP);
KONFIG_REGISTER(kd::nn::PreNormBlock);
KONFIG_REGISTER(kd::nn::PostNormBlock);
KONFIG_REGISTER(kd::nn::ParallelAttentionBlock);
template const konfig::Type& konfig::type_of<kd::nn::BlockSpec<kd::nn::PreNormBlock>>();
template const konfig::Type& konfig::type_of<kd::nn::BlockSpec<kd::nn::PostNormBlock>>();
template const konfig::Type& konfig::type_of<kd::nn::BlockSpec<kd::nn::ParallelAttentionBlock>>();
KONFIG_FUNCTION("kauldron.kd:nn.PreNormBlock.from_spec", kd::nn::PreNormBlock::from_spec);
KONFIG_FUNCTION("kauldron.kd:nn.PostNormBlock.from_spec", kd::nn::PostNormBlock::from_spec);
KONFIG_FUNCTION("kauldron.kd:nn.ParallelAttentionBlock.from_spec",
                kd::nn::ParallelAttentionBlock::from_spec);
