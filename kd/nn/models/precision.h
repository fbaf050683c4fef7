// MixedPrecision: a model that computes in short numbers and keeps its parameters in float32.
//
//   cfg.model = nn::MixedPrecision{.model = nn::Vit{...}};
//
// The flag --cfg.model.compute=float32 switches it off.
#pragma once

#include "kd/core/dtype.h"
#include "kd/nn/module/module.h"
#include "kontext/keys.h"

namespace kd::nn {

// Its model's keys and parameters are its own: it adds no name to their paths.
struct MixedPrecision : Module<MixedPrecision> {
  Poly<kd::Module> model = {};      // what is called
  DType compute = DType::bfloat16;  // of layers that do not name a dtype of their own
  DType output = DType::float32;    // of what the model gives back

  Out call(const Arguments& args) const;
  kontext::KeyPaths kontext_keys() const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::MixedPrecision, "kauldron.kd:nn.MixedPrecision");
