// Convolutions over 1 to 3 dimensions, channels last: (batch..., height, width, channels). Several
// batch dimensions are as good as one, and none is fine too.
#pragma once

#include <optional>
#include <string>

#include "kd/nn/initializers/initializers_scaled.h"
#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"

namespace kd::nn {

// A convolution: one kernel (window..., inputs / groups, features) for all places.
struct Conv : Module<Conv> {
  Required<int> features;                                        // channels that come out
  RequiredInts kernel_size;                                      // the window: 3, {3, 3}
  OptionalInts strides = 1;                                      // steps between windows
  Padding padding = "SAME";                                      // see Padding
  OptionalInts input_dilation = 1;                               // zeros between inputs, plus one
  OptionalInts kernel_dilation = 1;                              // gaps in the window, plus one
  int feature_group_count = 1;                                   // groups that do not mix
  bool use_bias = true;                                          // adds a learned offset
  Unused mask = {};                                              // None only
  std::optional<DType> dtype = {};                               // of the computation
  DType param_dtype = DType::float32;                            // of the parameters
  Precision precision = {};                                      // no effect: always full
  Poly<Initializer> kernel_init = initializers::lecun_normal();  // of the kernel
  Poly<Initializer> bias_init = initializers::zeros();           // of the bias (features)
  Unused promote_dtype = {};                                     // None only
  Unused conv_general_dilated = {};                              // None only
  Unused conv_general_dilated_cls = {};                          // None only

  static constexpr std::string_view call_names[] = {"inputs"};
  Tensor call(const Tensor& inputs) const;
};

// Like Conv with a kernel of its own for every place: (places..., inputs * window, features).
struct ConvLocal : Module<ConvLocal> {
  Required<int> features;                                        // channels that come out
  RequiredInts kernel_size;                                      // the window: 3, {3, 3}
  OptionalInts strides = 1;                                      // steps between windows
  Padding padding = "SAME";                                      // see Padding
  OptionalInts input_dilation = 1;                               // zeros between inputs, plus one
  OptionalInts kernel_dilation = 1;                              // gaps in the window, plus one
  int feature_group_count = 1;                                   // 1 only
  bool use_bias = true;                                          // adds a learned offset
  Unused mask = {};                                              // None only
  std::optional<DType> dtype = {};                               // of the computation
  DType param_dtype = DType::float32;                            // of the parameters
  Precision precision = {};                                      // no effect: always full
  Poly<Initializer> kernel_init = initializers::lecun_normal();  // of the kernel
  Poly<Initializer> bias_init = initializers::zeros();           // of the bias (places, features)
  Unused promote_dtype = {};                                     // None only
  Unused conv_general_dilated = {};                              // None only
  Unused conv_general_dilated_cls = {};                          // None only

  static constexpr std::string_view call_names[] = {"inputs"};
  Tensor call(const Tensor& inputs) const;
};

// The way back from a convolution: strides make the output larger. The kernel is used as it stands,
// (window..., inputs, features), unless `transpose_kernel`: then it is that of the convolution.
struct ConvTranspose : Module<ConvTranspose> {
  Required<int> features;                                        // channels that come out
  RequiredInts kernel_size;                                      // the window: 3, {3, 3}
  OptionalInts strides = {};                                     // how much larger it becomes
  Padding padding = "SAME";                                      // SAME, VALID, CIRCULAR, numbers
  OptionalInts kernel_dilation = {};                             // gaps in the window, plus one
  bool use_bias = true;                                          // adds a learned offset
  Unused mask = {};                                              // None only
  std::optional<DType> dtype = {};                               // of the computation
  DType param_dtype = DType::float32;                            // of the parameters
  Precision precision = {};                                      // no effect: always full
  Poly<Initializer> kernel_init = initializers::lecun_normal();  // of the kernel
  Poly<Initializer> bias_init = initializers::zeros();           // of the bias (features)
  bool transpose_kernel = false;                                 // flips window and channels
  Unused promote_dtype = {};                                     // None only
  Unused preferred_element_type = {};                            // None only

  static constexpr std::string_view call_names[] = {"inputs"};
  Tensor call(const Tensor& inputs) const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::Conv, "flax.linen:Conv");
KONFIG_COMPONENT(kd::Module, kd::nn::ConvLocal, "flax.linen:ConvLocal");
KONFIG_COMPONENT(kd::Module, kd::nn::ConvTranspose, "flax.linen:ConvTranspose");
