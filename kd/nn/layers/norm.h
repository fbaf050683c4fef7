// Normalization: to mean 0 and variance 1 over some dimensions, then a learned scale and offset.
//
// With `use_fast_variance` the reference computes the variance as mean(x^2) - mean(x)^2, which
// loses digits where the mean is large; here it is computed without that loss where libtorch's own
// kernels are used. Batches that are spread over processes are normalized by each on its own.
#pragma once

#include <optional>

#include "kd/nn/initializers/initializers.h"
#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"
#include "kd/nn/module/no_tensor.h"

namespace kd::nn {

// Each vector of features on its own.
struct LayerNorm : Module<LayerNorm> {
  double epsilon = 1e-6;                                // added to the variance
  std::optional<DType> dtype = {};                      // of the result
  DType param_dtype = DType::float32;                   // of the parameters
  bool use_bias = true;                                 // adds a learned offset
  bool use_scale = true;                                // multiplies by a learned scale
  Poly<Initializer> bias_init = initializers::zeros();  // of the offset
  Poly<Initializer> scale_init = initializers::ones();  // of the scale
  Ints reduction_axes = -1;                             // dimensions with one mean and variance
  Ints feature_axes = -1;                               // dimensions that the parameters have
  Unused axis_name = {};                                // None only
  Unused axis_index_groups = {};                        // None only
  bool use_fast_variance = true;                        // see above
  bool force_float32_reductions = true;                 // computes in float32 at least

  static constexpr std::string_view call_names[] = {"x", "mask"};
  // Where `mask` is false, elements do not count.
  Tensor call(const Tensor& x, const std::optional<Tensor>& mask = no_tensor()) const;
};

// Like LayerNorm without a mean: divides by the root of the mean square.
struct RMSNorm : Module<RMSNorm> {
  double epsilon = 1e-6;                                // added to the mean square
  std::optional<DType> dtype = {};                      // of the result
  DType param_dtype = DType::float32;                   // of the parameters
  bool use_scale = true;                                // multiplies by a learned scale
  Poly<Initializer> scale_init = initializers::ones();  // of the scale
  Ints reduction_axes = -1;                             // dimensions with one mean square
  Ints feature_axes = -1;                               // dimensions that the scale has
  Unused axis_name = {};                                // None only
  Unused axis_index_groups = {};                        // None only
  bool use_fast_variance = true;                        // changes nothing here
  bool force_float32_reductions = true;                 // computes in float32 at least

  static constexpr std::string_view call_names[] = {"x", "mask"};
  Tensor call(const Tensor& x, const std::optional<Tensor>& mask = no_tensor()) const;
};

// Groups of channels of each example: all places together.
struct GroupNorm : Module<GroupNorm> {
  std::optional<int> num_groups = 32;                   // None: group_size says
  std::optional<int> group_size = {};                   // channels of a group
  double epsilon = 1e-6;                                // added to the variance
  std::optional<DType> dtype = {};                      // of the result
  DType param_dtype = DType::float32;                   // of the parameters
  bool use_bias = true;                                 // adds a learned offset
  bool use_scale = true;                                // multiplies by a learned scale
  Poly<Initializer> bias_init = initializers::zeros();  // of the offset
  Poly<Initializer> scale_init = initializers::ones();  // of the scale
  std::optional<Ints> reduction_axes = {};              // None: all but the first
  Unused axis_name = {};                                // None only
  Unused axis_index_groups = {};                        // None only
  bool use_fast_variance = true;                        // see above
  bool force_float32_reductions = true;                 // computes in float32 at least

  static constexpr std::string_view call_names[] = {"x", "mask"};
  Tensor call(const Tensor& x, const std::optional<Tensor>& mask = no_tensor()) const;
};

// Each channel of each example: all places together.
struct InstanceNorm : Module<InstanceNorm> {
  double epsilon = 1e-6;                                // added to the variance
  std::optional<DType> dtype = {};                      // of the result
  DType param_dtype = DType::float32;                   // of the parameters
  bool use_bias = true;                                 // adds a learned offset
  bool use_scale = true;                                // multiplies by a learned scale
  Poly<Initializer> bias_init = initializers::zeros();  // of the offset
  Poly<Initializer> scale_init = initializers::ones();  // of the scale
  Ints feature_axes = -1;                               // dimensions of channels
  Unused axis_name = {};                                // None only
  Unused axis_index_groups = {};                        // None only
  bool use_fast_variance = true;                        // see above
  bool force_float32_reductions = true;                 // computes in float32 at least

  static constexpr std::string_view call_names[] = {"x", "mask"};
  Tensor call(const Tensor& x, const std::optional<Tensor>& mask = no_tensor()) const;
};

// Each channel over the whole batch in training; by running averages, the collection
// "batch_stats", otherwise.
struct BatchNorm : Module<BatchNorm> {
  std::optional<bool> use_running_average = {};         // may be given to the call instead
  int axis = -1;                                        // the dimension of channels
  double momentum = 0.99;                               // of the running averages
  double epsilon = 1e-5;                                // added to the variance
  std::optional<DType> dtype = {};                      // of the result
  DType param_dtype = DType::float32;                   // of the parameters
  bool use_bias = true;                                 // adds a learned offset
  bool use_scale = true;                                // multiplies by a learned scale
  Poly<Initializer> bias_init = initializers::zeros();  // of the offset
  Poly<Initializer> scale_init = initializers::ones();  // of the scale
  Unused axis_name = {};                                // None only
  Unused axis_index_groups = {};                        // None only
  bool use_fast_variance = true;                        // see above
  bool force_float32_reductions = true;                 // computes in float32 at least

  static constexpr std::string_view call_names[] = {"x", "use_running_average", "mask"};
  Tensor call(const Tensor& x, const std::optional<bool>& use_running_average = {},
              const std::optional<Tensor>& mask = no_tensor()) const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::LayerNorm, "flax.linen:LayerNorm");
KONFIG_COMPONENT(kd::Module, kd::nn::RMSNorm, "flax.linen:RMSNorm");
KONFIG_COMPONENT(kd::Module, kd::nn::GroupNorm, "flax.linen:GroupNorm");
KONFIG_COMPONENT(kd::Module, kd::nn::InstanceNorm, "flax.linen:InstanceNorm");
KONFIG_COMPONENT(kd::Module, kd::nn::BatchNorm, "flax.linen:BatchNorm");
