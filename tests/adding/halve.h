// Halve: half of every value.
#pragma once

#include "kd/data/transforms/transforms.h"

namespace kd::data {

// Divides elements by two.
struct Halve {
  Required<ElementKey> key;  // the elements
  Tensor map_element(const Tensor& element) const;
};

}  // namespace kd::data

KONFIG_COMPONENT(kd::Transform, kd::data::Halve, "kd.data:Halve");
