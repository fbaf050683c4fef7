// FlatAutoencoder: the simplest model with parts of its own.
#pragma once

#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"

namespace kd {
class Tree;
}

namespace kd::nn {

// Flattens its input, encodes it, decodes it to the input's shape. The result goes by the input's
// key without "batch.": {"image": ...} for "batch.image".
struct FlatAutoencoder : Module<FlatAutoencoder> {
  Key inputs = Key::required();  // the image
  Poly<kd::Module> encoder;      // flat image to latent code
  Poly<kd::Module> decoder;      // latent code to flat image

  Tree call(const Tensor& inputs) const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::FlatAutoencoder, "kauldron.kd:nn.FlatAutoencoder");
