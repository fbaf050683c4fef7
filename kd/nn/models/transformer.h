// Transformer blocks: attention and an MLP, each around a skip connection.
//
//   nn::PreNormBlock::from_spec({.num_heads = 3, .mlp_size = 768})
#pragma once

#include <optional>

#include "kd/nn/attention/improved_attention.h"
#include "kd/nn/layers/norm.h"

namespace kd::nn {

// What a block's `from_spec` can say about its MLP.
struct MlpOptions {
  Activation activation_fn = "flax.linen:gelu";                   // between the two layers
  Poly<Initializer> kernel_init = initializers::GlorotUniform{};  // of both kernels
  Poly<Initializer> bias_init = initializers::zeros();            // of both biases
};

// Two dense layers, `dense_in` and `dense_out`, with an activation between them.
struct TransformerMLP : Module<TransformerMLP> {
  std::optional<int> hidden_size = {};                            // None: four times the input's
  Activation activation_fn = "flax.linen:gelu";                   // between the two layers
  Poly<Initializer> kernel_init = initializers::GlorotUniform{};  // of both kernels
  Poly<Initializer> bias_init = initializers::zeros();            // of both biases

  static constexpr std::string_view call_names[] = {"inputs"};
  Tensor call(const Tensor& inputs) const;
};

// The arguments of a block's `from_spec`.
template <class Block>
struct BlockSpec {
  Required<int> num_heads;                           // of the attention
  std::optional<int> mlp_size = {};                  // hidden size; None: four times the input's
  bool normalize_qk = true;                          // LayerNorm of queries and keys
  std::optional<AttentionOptions> attn_kwargs = {};  // further settings of the attention
  std::optional<MlpOptions> mlp_kwargs = {};         // further settings of the MLP
  Poly<kd::Module> attention_norm = {};              // none: the block's default
  Poly<kd::Module> mlp_norm = {};                    // none: the block's default
};

// Norm, attention, add; norm, MLP, add: the usual block.
struct PreNormBlock : Module<PreNormBlock> {
  Poly<kd::Module> attention = {};                // of tokens among each other
  Poly<kd::Module> mlp = TransformerMLP{};        // of each token
  Poly<kd::Module> attention_norm = LayerNorm{};  // before the attention
  Poly<kd::Module> mlp_norm = LayerNorm{};        // before the MLP

  static constexpr std::string_view call_names[] = {"tokens", "attention_mask"};
  Tensor call(const Tensor& tokens,
              const std::optional<Tensor>& attention_mask = no_tensor()) const;
  static PreNormBlock from_spec(const BlockSpec<PreNormBlock>& spec);
};

// Attention, add, norm; MLP, add, norm: the first kind of block, hard to train when deep.
struct PostNormBlock : Module<PostNormBlock> {
  Poly<kd::Module> attention = {};                // of tokens among each other
  Poly<kd::Module> mlp = TransformerMLP{};        // of each token
  Poly<kd::Module> attention_norm = LayerNorm{};  // behind the attention
  Poly<kd::Module> mlp_norm = LayerNorm{};        // behind the MLP

  static constexpr std::string_view call_names[] = {"tokens", "attention_mask"};
  Tensor call(const Tensor& tokens,
              const std::optional<Tensor>& attention_mask = no_tensor()) const;
  static PostNormBlock from_spec(const BlockSpec<PostNormBlock>& spec);
};

// Attention and MLP beside each other, as in ViT-22B.
struct ParallelAttentionBlock : Module<ParallelAttentionBlock> {
  Poly<kd::Module> attention = {};              // of tokens among each other
  Poly<kd::Module> mlp = TransformerMLP{};      // of each token
  Poly<kd::Module> attention_norm = RMSNorm{};  // before the attention
  Poly<kd::Module> mlp_norm = LayerNorm{};      // before the MLP

  static constexpr std::string_view call_names[] = {"tokens"};
  Tensor call(const Tensor& tokens) const;
  static ParallelAttentionBlock from_spec(const BlockSpec<ParallelAttentionBlock>& spec);
};

// The parts of one block.
struct BlockParts {
  Poly<kd::Module> attention_norm, mlp_norm, attention, mlp;
};
// A kind of block by name: "kauldron.kd:nn.PreNormBlock", or a function of one's own.
using BlockType = konfig::Callable<Poly<kd::Module>(const BlockParts&)>;

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::TransformerMLP, "kauldron.kd:nn.TransformerMLP");
KONFIG_COMPONENT(kd::Module, kd::nn::PreNormBlock, "kauldron.kd:nn.PreNormBlock");
KONFIG_COMPONENT(kd::Module, kd::nn::PostNormBlock, "kauldron.kd:nn.PostNormBlock");
KONFIG_COMPONENT(kd::Module, kd::nn::ParallelAttentionBlock,
                 "kauldron.kd:nn.ParallelAttentionBlock");
KONFIG_ARGUMENTS(kd::Module, kd::nn::BlockSpec<kd::nn::PreNormBlock>);
KONFIG_ARGUMENTS(kd::Module, kd::nn::BlockSpec<kd::nn::PostNormBlock>);
KONFIG_ARGUMENTS(kd::Module, kd::nn::BlockSpec<kd::nn::ParallelAttentionBlock>);
