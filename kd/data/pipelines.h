// Pipelines: datasets as batches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kd/data/transforms.h"
#include "konfig/inherit.h"

namespace kd::data::py {

// A dataset by name, read in a fixed order for a given seed.
struct Tfds {
  Required<std::string> name;                    // "mnist"
  Required<std::string> split;                   // "train", "test[:90%]"
  Required<bool> shuffle;                        // a new order each epoch
  Required<std::optional<int>> num_epochs;       // None: forever
  std::vector<Poly<Transform>> transforms = {};  // applied to each example, in order
  Required<std::optional<int>> batch_size;       // examples a batch; None: no batches
  konfig::Inherit<int, "seed"> seed = inherit;   // of the order; the trainer's by default
  std::optional<std::string> data_dir = {};      // where the files are
};

}  // namespace kd::data::py

KONFIG_COMPONENT(kd::Pipeline, kd::data::py::Tfds, "kauldron.kd:data.py.Tfds");
