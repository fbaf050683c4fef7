// Datasets by name, as TFDS names them: folders that TFDS prepared, and the original files of
// MNIST, Fashion-MNIST and CIFAR.
#pragma once

#include <optional>
#include <string>

#include "kd/data/engine/records.h"

namespace kd::data {

struct NamedDataset {
  std::string name;                          // "fashion_mnist", "mnist:3.*.*"
  std::string split = "train";               // "train", "test[:90%]"
  std::optional<std::string> data_dir = {};  // where to look; None: the usual places
};

// nullptr: there is none of this name. An Error when it has no such split.
RecordsPtr find_named(const NamedDataset& wanted);
// For an Error: that there is none, where it was looked for, and the nearest name.
std::string missing_text(const NamedDataset& wanted);

}  // namespace kd::data
