// The dataset that a part of a config describes.
#pragma once

#include <string>

#include "kd/data/engine/dataset.h"
#include "konfig/config_dict.h"

namespace kd::inspect {

// `path` is "train_ds", "evals.eval.ds", ...; "" is the config itself when it is a dataset, else
// its train_ds, else its eval_ds.
data::Dataset dataset_at(const konfig::ConfigDict& config, const std::string& path);

}  // namespace kd::inspect
