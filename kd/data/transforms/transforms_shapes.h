// Transforms of shapes and borders, as in the reference's contrib.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kd/data/transforms/transforms.h"

namespace kd::data {
class Generator;
}

namespace kd::data::contrib {

// Less the mean, divided by the standard deviation, along the last dimension.
struct Standardize {
  Required<ElementKey> key;            // the elements
  Required<std::vector<double>> mean;  // of each entry of the last dimension
  Required<std::vector<double>> std;   // of each entry of the last dimension

  static constexpr bool maps_batches = true;
  Tensor map_element(const Tensor& element) const;
};

// Multiplies the last dimension by a matrix.
struct ApplyW {
  Required<ElementKey> key;                      // the elements
  Required<std::vector<std::vector<double>>> w;  // its rows

  static constexpr bool maps_batches = true;
  Tensor map_element(const Tensor& element) const;
};

// New dimensions of equal parts: "h w -> t h w".
struct Repeat {
  Required<ElementKey> key;       // the elements
  Required<std::string> pattern;  // in the notation of einops
  Map<int> axes_lengths = {};     // sizes that do not follow from the element

  Tensor map_element(const Tensor& element) const;
};

// Images of a given shape, as jax.image.resize makes them.
struct JaxImageResize {
  Required<ElementKey> key;                      // the elements: (h, w, c) or stacks of them
  Required<std::vector<std::int64_t>> shape;     // of the result; only height and width may change
  ResizeMethod method = ResizeMethod::bilinear;  // see Resize

  Tensor map_element(const Tensor& element) const;
};

// Makes a dimension as long as given; what is new holds a number.
struct PadAxisToFixedSize {
  Required<ElementKey> key;  // the elements
  Required<int> size;        // of the dimension; an element that has more is an error
  Required<int> axis;        // the dimension; -1 is the last one
  double value = -1;         // of what is new

  Tensor map_element(const Tensor& element) const;
};

// A border around images (h, w, c).
struct PadImage {
  Required<ElementKey> key;  // the elements
  Required<int> pad;         // pixels on each side
  // CONSTANT: zeros; REFLECT, SYMMETRIC: mirrored without or with the edge. In any case, as in the
  // reference.
  Required<std::string> mode;

  void check() const;
  Tensor map_element(const Tensor& element) const;
};

// A border that repeats the pixels at the edge of images (h, w, c).
struct PadImageEdgeVal {
  Required<ElementKey> key;  // the elements
  Required<int> pad;         // pixels on each side

  Tensor map_element(const Tensor& element) const;
};

// Images (n, h, w, c) side by side: (h, n w, c).
struct HStack {
  Required<ElementKey> key;  // the elements

  Tensor map_element(const Tensor& element) const;
};

// Images (n, h, w, c) one below the other: (n h, w, c).
struct VStack {
  Required<ElementKey> key;  // the elements

  Tensor map_element(const Tensor& element) const;
};

// The first entry of the first dimension.
struct FetchElementZero {
  Required<ElementKey> key;  // the elements

  Tensor map_element(const Tensor& element) const;
};

// Rows as images: "t (h w)" to "t h w".
struct ReshapeSpatialDim {
  Required<ElementKey> key;  // the elements
  Required<int> h;           // height
  Required<int> w;           // width

  Tensor map_element(const Tensor& element) const;
};

// Some entries along a dimension, chosen at random, in a random order.
struct RandomSubsetAlongAxis {
  Required<ElementKey> key;   // the elements
  Required<int> num_to_keep;  // how many
  Required<int> axis;         // the dimension

  Tensor random_map_element(const Tensor& element, Generator& rng) const;
};

}  // namespace kd::data::contrib

KONFIG_COMPONENT(kd::Transform, kd::data::contrib::Standardize, "kauldron.contrib.data:Standardize",
                 "kauldron.kd:contrib.data.Standardize");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::ApplyW, "kauldron.contrib.data:ApplyW",
                 "kauldron.kd:contrib.data.ApplyW");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::Repeat, "kauldron.contrib.data:Repeat",
                 "kauldron.kd:contrib.data.Repeat");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::JaxImageResize,
                 "kauldron.contrib.data:JaxImageResize", "kauldron.kd:contrib.data.JaxImageResize");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::PadAxisToFixedSize,
                 "kauldron.contrib.data:PadAxisToFixedSize",
                 "kauldron.kd:contrib.data.PadAxisToFixedSize");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::PadImage, "kauldron.contrib.data:PadImage",
                 "kauldron.kd:contrib.data.PadImage");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::PadImageEdgeVal,
                 "kauldron.contrib.data:PadImageEdgeVal",
                 "kauldron.kd:contrib.data.PadImageEdgeVal");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::HStack, "kauldron.contrib.data:HStack",
                 "kauldron.kd:contrib.data.HStack");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::VStack, "kauldron.contrib.data:VStack",
                 "kauldron.kd:contrib.data.VStack");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::FetchElementZero,
                 "kauldron.contrib.data:FetchElementZero",
                 "kauldron.kd:contrib.data.FetchElementZero");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::ReshapeSpatialDim,
                 "kauldron.contrib.data:ReshapeSpatialDim",
                 "kauldron.kd:contrib.data.ReshapeSpatialDim");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::RandomSubsetAlongAxis,
                 "kauldron.contrib.data:RandomSubsetAlongAxis",
                 "kauldron.kd:contrib.data.RandomSubsetAlongAxis");
