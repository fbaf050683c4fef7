// What a source with models includes: tensors, layers, functions, and what a call may use.
//
//   #include "kd/nn/engine/nn.h"
//
//   struct Mlp : nn::Module<Mlp> {
//     Key image = "batch.image";
//     int hidden = 128;
//     Tensor call(const Tensor& image) const {
//       Tensor x = nn::relu(nn::Dense{.features = hidden}(nn::flatten(image)));
//       return nn::Dense{.features = 10}(x);
//     }
//   };
//   KD_COMPONENT(kd::Module, Mlp);
#pragma once

// IWYU pragma: begin_exports
#include "kd/core/tensor.h"
#include "kd/einops/einops.h"
#include "kd/nn/engine/attention_functions.h"
#include "kd/nn/engine/functions.h"
#include "kd/nn/engine/initializer.h"
#include "kd/nn/engine/pool.h"
#include "kd/nn/engine/rnn_cell.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/module/invoke.h"
#include "kd/random/sample.h"
#if __has_include("kd/nn/components.h")
#include "kd/nn/components.h"  // made by the build: all layers and models
#else                          // an editor before the first build: the usual layers
#include "kd/nn/layers/conv.h"
#include "kd/nn/layers/dense.h"
#include "kd/nn/layers/dropout.h"
#include "kd/nn/layers/norm.h"
#include "kd/nn/layers/sequential.h"
#endif
// IWYU pragma: end_exports

namespace kd::nn {

using einops::rearrange;
using einops::reduce;
using einops::repeat;

}  // namespace kd::nn
