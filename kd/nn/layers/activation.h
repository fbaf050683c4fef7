// PReLU: an activation with a parameter.
#pragma once

#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"

namespace kd::nn {

// x where it is positive, a learned slope times x elsewhere.
struct PReLU : Module<PReLU> {
  DType param_dtype = DType::float32;  // of the slope
  double negative_slope_init = 0.01;   // the first slope

  static constexpr std::string_view call_names[] = {"inputs"};
  Tensor call(const Tensor& inputs) const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::PReLU, "flax.linen:PReLU");
