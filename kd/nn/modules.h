// Models and layers.
#pragma once

#include <string>

#include "kd/interfaces.h"

namespace kd::nn {

// A dense layer: the last dimension to `features`.
struct Dense {
  Required<int> features;  // size of the output's last dimension
  bool use_bias = true;    // adds a learned offset
};

// Flattens an image, encodes it, decodes it to the image's shape.
struct FlatAutoencoder {
  Key inputs = Key::required();  // the image
  Poly<Module> encoder;          // flat image to latent code
  Poly<Module> decoder;          // latent code to flat image
};

// Keeps all values at evaluation; in training drops a fraction of them and scales up the rest.
struct Dropout {
  Required<double> rate;  // fraction of values dropped
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::Dense, "flax.linen:Dense");
KONFIG_COMPONENT(kd::Module, kd::nn::FlatAutoencoder, "kauldron.kd:nn.FlatAutoencoder");
KONFIG_COMPONENT(kd::Module, kd::nn::Dropout, "kauldron.kd:nn.Dropout");
