// The model: what it takes, what it gives, and its parameters.
#pragma once

#include "kd/model.h"

namespace my_project {

// Layers in a row. Fields are the configuration; the comments are the help texts.
struct Mlp : kd::nn::Module<Mlp> {
  kd::Key inputs = "batch.point";  // what `call` is called with
  int hidden = 64;                 // width of the layers
  int layers = 2;                  // how many before the last
  int classes = 3;                 // what it tells apart

  kd::Tree call(kd::Float<"*b n"> inputs) const {
    at::Tensor x = inputs;
    for (int i = 0; i < layers; ++i) x = kd::nn::gelu(kd::nn::Dense{.features = hidden}(x));
    return kd::Tree::dict({{"logits", kd::nn::Dense{.features = classes}(x)}});  // preds.logits
  }
};

}  // namespace my_project

KD_COMPONENT(kd::Module, my_project::Mlp);
