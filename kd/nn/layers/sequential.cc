// Flax's Sequential.
#include "kd/nn/layers/sequential.h"

#include "kd/nn/module/invoke.h"
#include "kd/nn/shapes_impl.h"

namespace kd::nn::linen {

Out Sequential::call(const Arguments& args) const {
  if (layers.empty()) detail::fail("a Sequential needs layers");
  return run_layers(layers, args);
}

}  // namespace kd::nn::linen
