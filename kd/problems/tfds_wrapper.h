// TFDSWrapper: datasets by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kd/problems/classes.h"

namespace kd::problems {

struct TFDSConfig {
  Required<std::string> dataset_name;           // "fashion_mnist", or a dataset that TFDS prepared
  Required<std::string> split;                  // "train", "test[:90%]"
  Required<std::vector<int>> input_size;        // height and width of the images; (): as they are
  Required<int> batch_size;                     // images a batch
  bool include_label = true;                    // false: images only
  bool repeat = false;                          // the data never ends
  bool shuffle = false;                         // another order in each pass
  std::optional<std::int64_t> nb_samples = {};  // the first ones only; None, 0 or -1: all
  bool cache = false;                           // keeps the images in memory
  std::string dtype = "float32";                // of the images
};

struct TFDSWrapper : DatasetBase {
  using cfg_class = TFDSConfig;
  explicit TFDSWrapper(const TFDSConfig& cfg) : cfg(cfg) {}
  Poly<Pipeline> pipeline() const override;
  TFDSConfig cfg;
};

}  // namespace kd::problems

KONFIG_TYPE(kd::problems::TFDSConfig, "tfimm.train:TFDSConfig");
