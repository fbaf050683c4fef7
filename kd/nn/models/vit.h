// Vision transformers.
//
//   cfg.model = nn::Vit{.encoder = nn::VitVariant{.variant_str = "ViT-Ti/4"},
//                       .num_classes = 10,
//                       .image = "batch.image"};
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kd/nn/layers/embeddings.h"
#include "kd/nn/layers/patchify.h"
#include "kd/nn/models/transformer.h"

namespace kd {
class Tree;
}

namespace kd::nn {

struct VitSpec;
struct VitVariant;

// Image to tokens: patches, position embedding, blocks, norm. (*b, h, w, c) to (*b, n, d).
struct VitEncoder : Module<VitEncoder> {
  std::vector<Poly<kd::Module>> layers = {};            // transformer blocks
  Poly<kd::Module> embedding = {};                      // image to tokens
  Poly<kd::Module> pos_embedding = LearnedEmbedding{};  // added to the tokens
  Poly<kd::Module> encoder_norm = RMSNorm{};            // at the end; None: without
  bool prepend_cls_token = false;                       // a learned token in front of all others
  Poly<Initializer> cls_token_init = initializers::zeros();  // of that token
  Key image = Key::required();  // of a whole model; a part of one needs none

  Tensor call(const Tensor& image) const;

  static VitEncoder from_spec(const VitSpec& spec);
  static VitEncoder from_variant_str(const VitVariant& variant);
};

// VitEncoder.from_spec: an encoder of equal blocks.
struct VitSpec {
  Required<int> num_heads;                               // of the attention
  Required<int> hidden_size;                             // of a token
  Required<int> num_layers;                              // number of blocks
  Required<Ints> patch_size;                             // one number, or height and width
  std::optional<int> mlp_size = {};                      // None: four times hidden_size
  BlockType block_type = "kauldron.kd:nn.PreNormBlock";  // kind of the blocks
  DType dtype = DType::float32;                          // of the norms' computation
  Poly<kd::Module> pos_embedding = LearnedEmbedding{};   // see VitEncoder, as all below
  Poly<kd::Module> encoder_norm = RMSNorm{};
  bool prepend_cls_token = false;
  Poly<Initializer> cls_token_init = initializers::zeros();
  Key image = Key::required();
};

// VitEncoder.from_variant_str: the sizes by name, "ViT-B/16". Sizes that are given win.
struct VitVariant {
  Required<std::string> variant_str;  // mu, Ti, S, M, B, L, H, g, G or e, and "/patch size"
  std::optional<int> num_heads = {};  // see VitSpec, as all below
  std::optional<int> hidden_size = {};
  std::optional<int> num_layers = {};
  std::optional<Ints> patch_size = {};
  std::optional<int> mlp_size = {};
  BlockType block_type = "kauldron.kd:nn.PreNormBlock";
  DType dtype = DType::float32;
  Poly<kd::Module> pos_embedding = LearnedEmbedding{};
  Poly<kd::Module> encoder_norm = RMSNorm{};
  bool prepend_cls_token = false;
  Poly<Initializer> cls_token_init = initializers::zeros();
  Key image = Key::required();
};

enum class VitMode {
  gap,               // the mean of all tokens
  cls_token,         // the first token, which must be a class token
  cls_token_forced,  // the first token, whatever it is
};

// A classifier: encoder, `pre_logits` with tanh, `classifier_head`. Gives {"logits": ...}.
struct Vit : Module<Vit> {
  Poly<kd::Module> encoder = {};                             // image to tokens
  int num_classes = 1000;                                    // number of logits
  Poly<Initializer> init_head_bias = initializers::zeros();  // of the head's bias
  VitMode mode = VitMode::gap;                               // how the tokens become one
  Key image = Key::required();                               // the image

  Tree call(const Tensor& image) const;
};

// Each token becomes its part of the image again, by one `decoder` layer. Gives {"image": ...}.
struct VitAutoEncoder : Module<VitAutoEncoder> {
  Poly<kd::Module> encoder = {};  // image to tokens
  Key image = Key::required();    // the image

  Tree call(const Tensor& image) const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::VitEncoder, "kauldron.kd:nn.VitEncoder");
KONFIG_ARGUMENTS(kd::Module, kd::nn::VitSpec);
KONFIG_ARGUMENTS(kd::Module, kd::nn::VitVariant);
KONFIG_COMPONENT(kd::Module, kd::nn::Vit, "kauldron.kd:nn.Vit");
KONFIG_COMPONENT(kd::Module, kd::nn::VitAutoEncoder, "kauldron.kd:nn.VitAutoEncoder");
