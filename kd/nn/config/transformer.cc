// How transformer blocks are made from a few numbers.
#include "kd/nn/models/transformer.h"

#include "konfig/copy_fields.h"
#include "konfig/register.h"

namespace kd::nn {

namespace {

template <class Block>
Block make_block(const BlockSpec<Block>& spec) {
  ImprovedMultiHeadDotProductAttention attention{.num_heads = spec.num_heads,
                                                 .normalize_qk = spec.normalize_qk};
  if (spec.attn_kwargs) konfig::copy_fields(*spec.attn_kwargs, attention);
  TransformerMLP mlp{.hidden_size = spec.mlp_size};
  if (spec.mlp_kwargs) konfig::copy_fields(*spec.mlp_kwargs, mlp);
  Block block;
  block.attention = attention;
  block.mlp = mlp;
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

// As functions, too: where a BlockType is wanted.
KONFIG_CALLABLE("kauldron.kd:nn.PreNormBlock", kd::nn::from_parts<kd::nn::PreNormBlock>);
KONFIG_CALLABLE("kauldron.kd:nn.PostNormBlock", kd::nn::from_parts<kd::nn::PostNormBlock>);
KONFIG_CALLABLE("kauldron.kd:nn.ParallelAttentionBlock",
                kd::nn::from_parts<kd::nn::ParallelAttentionBlock>);
template const konfig::Type& konfig::type_of<kd::nn::BlockSpec<kd::nn::PreNormBlock>>();
template const konfig::Type& konfig::type_of<kd::nn::BlockSpec<kd::nn::PostNormBlock>>();
template const konfig::Type& konfig::type_of<kd::nn::BlockSpec<kd::nn::ParallelAttentionBlock>>();
KONFIG_FUNCTION("kauldron.kd:nn.PreNormBlock.from_spec", kd::nn::PreNormBlock::from_spec);
KONFIG_FUNCTION("kauldron.kd:nn.PostNormBlock.from_spec", kd::nn::PostNormBlock::from_spec);
KONFIG_FUNCTION("kauldron.kd:nn.ParallelAttentionBlock.from_spec",
                kd::nn::ParallelAttentionBlock::from_spec);
