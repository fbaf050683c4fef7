// Transforms that leave out tokens at random, for masked autoencoders, as in the reference's
// contrib. The numbers of the tokens that stay are added as "<key>_indices".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kd/data/transforms/transforms.h"

namespace kd::data {
class Generator;
}

namespace kd::data::contrib {

// Which tokens RandomDropTokens leaves out.
enum class SubsamplingPattern { random };

// Leaves out some of the tokens (n, d), or (batch, n, d): others for each entry of the batch.
struct RandomDropTokens {
  Required<std::string> key;                                            // the element
  std::optional<std::string> key_exclude_indices = {};                  // numbers that never stay
  SubsamplingPattern subsampling_pattern = SubsamplingPattern::random;  // which are left out
  Required<double> drop_ratio;                                          // how many: 0.9 of them
  bool shuffle_tokens = true;   // false: the first ones stay
  bool offset_indices = false;  // numbers go on over the batch: the second entry begins with n

  void check() const;
  Tree random_map(Tree record, const Generator& rng) const;
};

// Leaves out places along some dimensions, in all of the others, and makes one dimension of them:
// of (t, h, w, c) with sample_dims (1, 2) and flatten_up_to 3 the same places of all frames stay.
struct SubsampleAndFlatten {
  Required<std::string> key;           // the element
  Required<double> drop_ratio;         // how many are left out: 0.9 of the places
  bool shuffle_tokens = true;          // false: the first ones stay
  std::vector<int> sample_dims = {0};  // the dimensions that are looked at, in order
  int flatten_up_to = 1;               // so many dimensions become one

  void check() const;
  Tree random_map(Tree record, const Generator& rng) const;
};

// Patches that stayed, back in their places of a video; the others are grey.
struct MaskedVideoVisualization {
  Required<std::string> sparse_patches_key;  // (n, pt ph pw c)
  Required<std::string> indices_key;         // (n): their places
  Required<std::string> output_key;          // the element that is added: (t, h, w, c)
  Required<std::array<int, 3>> grid_shape;   // patches of the video: frames, rows, columns
  Required<std::array<int, 3>> patch_shape;  // of a patch: frames, height, width
  double fill_value = 0.5;                   // of the other places
  int channels = 3;                          // of the video

  Tree map(Tree record) const;
};

}  // namespace kd::data::contrib

KONFIG_COMPONENT(kd::Transform, kd::data::contrib::RandomDropTokens,
                 "kauldron.contrib.data:RandomDropTokens",
                 "kauldron.kd:contrib.data.RandomDropTokens");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::SubsampleAndFlatten,
                 "kauldron.contrib.data:SubsampleAndFlatten",
                 "kauldron.kd:contrib.data.SubsampleAndFlatten");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::MaskedVideoVisualization,
                 "kauldron.contrib.data:MaskedVideoVisualization",
                 "kauldron.kd:contrib.data.MaskedVideoVisualization");
