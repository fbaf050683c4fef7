// The images of a dataset in one picture, with their labels.
#pragma once

#include <string>

#include "kd/data/engine/dataset.h"
#include "kd/inspect/data_api.h"

namespace kd::inspect {

// The first images of the element `key` ("": the first element that has images), each above its
// entry of `label` ("": label or labels, where there is one).
Picture data_grid(const data::Dataset& dataset, int n, const std::string& key = "",
                  const std::string& label = "");

}  // namespace kd::inspect
