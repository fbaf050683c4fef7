// Transforms of the reference's kd.data.py: slices, and random changes that are the reference's bit
// for bit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kd/data/transforms/transforms.h"

namespace kd::data {
class Generator;
}

namespace kd::data::py {

// Part of the stream, by position: after the shuffle, so `SliceDataset{10}` are ten records of the
// shuffled order, others each epoch.
struct SliceDataset {
  std::optional<std::int64_t> start = {};  // the first; given alone it is `stop`
  std::optional<std::int64_t> stop = {};   // the one after the last; negative: from the end
  std::optional<std::int64_t> step = {};   // 1 unless given
};

// Cuts out a part at a random place; every element gets the same place.
struct RandomCrop {
  Required<ElementKey> key;                         // the elements
  Required<std::vector<std::optional<int>>> shape;  // None: the dimension stays

  void check() const;
  Tree random_map(Tree record, const Generator& rng) const;
  Tensor random_map_element(const Tensor& element, Generator& rng) const;
};

// Flips images, "... h w c", with probability one half; each image of a stack by itself.
struct RandomFlipLeftRight {
  Required<ElementKey> key;  // the elements

  Tensor random_map_element(const Tensor& element, Generator& rng) const;
};

using data::AddConstants;
using data::Cast;
using data::CenterCrop;
using data::Elements;
using data::Gather;
using data::Rearrange;
using data::Resize;
using data::TreeFlattenWithPath;
using data::ValueRange;

}  // namespace kd::data::py

KONFIG_COMPONENT(kd::Transform, kd::data::py::SliceDataset, "kauldron.kd:data.py.SliceDataset");
KONFIG_COMPONENT(kd::Transform, kd::data::py::RandomCrop, "kauldron.kd:data.py.RandomCrop");
KONFIG_COMPONENT(kd::Transform, kd::data::py::RandomFlipLeftRight,
                 "kauldron.kd:data.py.RandomFlipLeftRight");
