// What a source with models includes: tensors, layers, functions, and what a call may use.
//
//   #include "kd/nn/nn.h"
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
#include "kd/nn/attention_functions.h"
#include "kd/nn/einops.h"
#include "kd/nn/functions.h"
#include "kd/nn/initializer.h"
#include "kd/nn/invoke.h"
#include "kd/nn/modules.h"
#include "kd/nn/pool.h"
#include "kd/nn/rnn_cell.h"
#include "kd/nn/scope.h"
#include "kd/random/sample.h"
#include "kd/tensor.h"
// IWYU pragma: end_exports
