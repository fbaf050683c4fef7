// Changes of shape as layers, for example in a Sequential.
#pragma once

#include <string>

#include "kd/einops/einops.h"
#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"

namespace kd::nn {

using einops::AxisSizes;

// nn::Rearrange{.pattern = "... h w d -> ... (h w) d"}
struct Rearrange : Module<Rearrange> {
  Required<std::string> pattern;  // "b h w c -> b c (h w)"
  AxisSizes axes_lengths = {};    // sizes that do not follow from the tensor

  static constexpr std::string_view call_names[] = {"tensor"};
  Tensor call(const Tensor& tensor) const;
};

enum class Reduction { min, max, sum, mean, prod };

// nn::Reduce{.pattern = "... n d -> ... d", .reduction = nn::Reduction::mean}
struct Reduce : Module<Reduce> {
  Required<std::string> pattern;  // "b h w c -> b c"
  Required<Reduction> reduction;  // of the names that are on the left only
  AxisSizes axes_lengths = {};    // sizes that do not follow from the tensor

  static constexpr std::string_view call_names[] = {"tensor"};
  Tensor call(const Tensor& tensor) const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::Rearrange, "kauldron.kd:nn.Rearrange");
KONFIG_COMPONENT(kd::Module, kd::nn::Reduce, "kauldron.kd:nn.Reduce");
