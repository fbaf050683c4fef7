// Flax's Sequential: layers in a row, without keys. kd::nn::Sequential has them.
#pragma once

#include <vector>

#include "kd/nn/layers/layer.h"

namespace kd::nn::linen {

// Calls one layer after the other. A layer that gives a tuple or a dict calls the next one with
// several arguments.
struct Sequential : Module<Sequential> {
  std::vector<Layer> layers = {};  // modules and functions, at least one

  Out call(const Arguments& args) const;
};

}  // namespace kd::nn::linen

KONFIG_COMPONENT(kd::Module, kd::nn::linen::Sequential, "flax.linen:Sequential");
