// Images to tokens: each patch of an image is one.
#pragma once

#include <array>

#include "kd/nn/module/fields.h"
#include "kd/nn/module/module.h"

namespace kd::nn {

// Height and width of a patch.
using PatchSize = std::array<std::int64_t, 2>;

// The pixels of each patch in a row: (*b, h, w, c) to (*b, n, d).
struct Patchify : Module<Patchify> {
  Required<PatchSize> patch_size;  // height and width

  static constexpr std::string_view call_names[] = {"images"};
  Tensor call(const Tensor& images) const;
};

// A linear map of each patch: (*b, h, w, c) to (*b, n, hidden_size).
struct PatchifyEmbed : Module<PatchifyEmbed> {
  Required<PatchSize> patch_size;  // height and width
  Required<int> hidden_size;       // size of a token

  static constexpr std::string_view call_names[] = {"images"};
  Tensor call(const Tensor& images) const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::Patchify, "kauldron.kd:nn.Patchify");
KONFIG_COMPONENT(kd::Module, kd::nn::PatchifyEmbed, "kauldron.kd:nn.PatchifyEmbed");
