// Linear layers: products with a learned kernel.
#pragma once

#include <optional>
#include <string>

#include "kd/nn/initializers/initializers_scaled.h"
#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"

namespace kd::nn {

// A linear map of the last dimension to `features`: x @ kernel + bias.
struct Dense : Module<Dense> {
  Required<int> features;              // size of the output's last dimension
  bool use_bias = true;                // adds a learned offset
  std::optional<DType> dtype = {};     // of the computation; None: the widest
  DType param_dtype = DType::float32;  // of the parameters
  Precision precision = {};            // no effect: always full
  Poly<Initializer> kernel_init = initializers::lecun_normal();  // of the kernel (inputs, features)
  Poly<Initializer> bias_init = initializers::zeros();           // of the bias (features)
  Unused promote_dtype = {};                                     // None only
  Unused dot_general = {};                                       // None only
  Unused dot_general_cls = {};                                   // None only

  static constexpr std::string_view call_names[] = {"inputs"};
  Tensor call(const Tensor& inputs) const;
};

// A linear map of one or several dimensions, `axis`, to one or several new ones at the end.
struct DenseGeneral : Module<DenseGeneral> {
  RequiredInts features;               // sizes of the new dimensions
  Ints axis = -1;                      // dimensions that are summed over
  Ints batch_dims = {};                // leading ones with a kernel each
  bool use_bias = true;                // adds a learned offset
  std::optional<DType> dtype = {};     // of the computation; None: the widest
  DType param_dtype = DType::float32;  // of the parameters
  Poly<Initializer> kernel_init = initializers::lecun_normal();  // of the kernel, as one matrix
  Poly<Initializer> bias_init = initializers::zeros();           // of the bias, as one vector
  Precision precision = {};                                      // no effect: always full
  Unused promote_dtype = {};                                     // None only
  Unused dot_general = {};                                       // None only
  Unused dot_general_cls = {};                                   // None only

  static constexpr std::string_view call_names[] = {"inputs"};
  Tensor call(const Tensor& inputs) const;
};

// The product with a learned kernel that an einsum describes: "abc,cd->abd".
struct Einsum : Module<Einsum> {
  RequiredInts shape;                          // of the kernel
  std::optional<std::string> einsum_str = {};  // may be given to the call instead
  bool use_bias = true;                        // adds a learned offset
  std::optional<DType> dtype = {};             // of the computation; None: the widest
  DType param_dtype = DType::float32;          // of the parameters
  Precision precision = {};                    // no effect: always full
  Poly<Initializer> kernel_init = initializers::lecun_normal();  // of the kernel
  Poly<Initializer> bias_init = initializers::zeros();  // of the bias: the kernel's axes that stay
  Unused promote_dtype = {};                            // None only
  Unused preferred_element_type = {};                   // None only

  static constexpr std::string_view call_names[] = {"inputs", "einsum_str"};
  Tensor call(const Tensor& inputs, const std::optional<std::string>& einsum_str = {}) const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::Dense, "flax.linen:Dense");
KONFIG_COMPONENT(kd::Module, kd::nn::DenseGeneral, "flax.linen:DenseGeneral");
KONFIG_COMPONENT(kd::Module, kd::nn::Einsum, "flax.linen:Einsum");
