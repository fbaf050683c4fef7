// Further transforms, as in the reference's contrib: not as settled as the others.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kd/data/transforms/transforms.h"

namespace kd::data {
class Generator;
}

namespace kd::data::contrib {

// The changes that RandAugment chooses from.
enum class AugmentOp {
  AutoContrast,
  Equalize,
  Invert,
  Rotate,
  Posterize,
  Solarize,
  Color,
  Contrast,
  Brightness,
  Sharpness,
  ShearX,
  ShearY,
  TranslateX,
  TranslateY,
  Cutout,
  SolarizeAdd,
};

// A few random changes of colour and shape, all equally strong. Cubuk et al., 2019.
struct RandAugment {
  Required<std::string> image_key;                         // the element: uint8 (h, w, 3)
  std::optional<std::string> boxes_key = {};               // only None is known
  int num_layers = 2;                                      // changes, one after the other
  double magnitude = 10;                                   // how strong they are; 10 is usual
  double cutout_const = 40;                                // half the side of the largest hole
  double translate_const = 100;                            // pixels of the longest shift
  double magnitude_std = 0;                                // spread of the strength
  std::optional<double> prob_to_apply = {};                // of each layer; None: always
  std::optional<std::vector<AugmentOp>> exclude_ops = {};  // what is never chosen

  void check() const;
  Tree random_map(Tree record, const Generator& rng) const;
};

// To [0, 1] by the upper end of the range, less the mean, divided by the standard deviation.
struct Normalize {
  Required<ElementKey> key;                        // the elements: channels last
  std::pair<double, double> in_vrange = {0, 255};  // range of the input
  std::vector<double> normalize_mean = {0, 0, 0};  // of each channel
  std::vector<double> normalize_std = {1, 1, 1};   // of each channel
  DType dtype = DType::float32;                    // of the output

  static constexpr bool maps_batches = true;
  Tensor map_element(const Tensor& element) const;
};

// Adds a number.
struct AddBias {
  Required<ElementKey> key;  // the elements
  Required<double> bias;     // what is added

  static constexpr bool maps_batches = true;
  Tensor map_element(const Tensor& element) const;
};

// Multiplies by a number.
struct Scale {
  Required<ElementKey> key;  // the elements
  Required<double> factor;   // what they are multiplied by

  static constexpr bool maps_batches = true;
  Tensor map_element(const Tensor& element) const;
};

// One less the element.
struct OneMinus {
  Required<ElementKey> key;  // the elements

  static constexpr bool maps_batches = true;
  Tensor map_element(const Tensor& element) const;
};

// 1 above a threshold, else 0.
struct Binarize {
  Required<ElementKey> key;    // the elements
  Required<double> threshold;  // greater numbers become 1

  static constexpr bool maps_batches = true;
  Tensor map_element(const Tensor& element) const;
};

}  // namespace kd::data::contrib

KONFIG_COMPONENT(kd::Transform, kd::data::contrib::RandAugment, "kauldron.contrib.data:RandAugment",
                 "kauldron.kd:contrib.data.RandAugment");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::Normalize, "kauldron.contrib.data:Normalize",
                 "kauldron.kd:contrib.data.Normalize");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::AddBias, "kauldron.contrib.data:AddBias",
                 "kauldron.kd:contrib.data.AddBias");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::Scale, "kauldron.contrib.data:Scale",
                 "kauldron.kd:contrib.data.Scale");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::OneMinus, "kauldron.contrib.data:OneMinus",
                 "kauldron.kd:contrib.data.OneMinus");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::Binarize, "kauldron.contrib.data:Binarize",
                 "kauldron.kd:contrib.data.Binarize");
