// Images to tokens.
#include "kd/nn/layers/patchify.h"

#include "kd/einops/einops.h"
#include "kd/nn/engine/dtype_of.h"
#include "kd/nn/layers/conv.h"

namespace kd::nn {

Tensor Patchify::call(const Tensor& images) const {
  return einops::rearrange(
      images, "... (ht hp) (wt wp) c -> ... (ht wt) (hp wp c)",
      {{"hp", static_cast<int>((*patch_size)[0])}, {"wp", static_cast<int>((*patch_size)[1])}});
}

Tensor PatchifyEmbed::call(const Tensor& images) const {
  const auto& size = *patch_size;
  Tensor tokens = named("patchifier", Conv{.features = hidden_size,
                                           .kernel_size = {size[0], size[1]},
                                           .strides = {size[0], size[1]},
                                           .padding = "VALID",
                                           .dtype = dtype_of(images)})(images);
  return tokens.flatten(-3, -2);
}

}  // namespace kd::nn
