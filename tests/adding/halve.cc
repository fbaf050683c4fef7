// Halve.
#include "kd/data/transforms/halve.h"

#include "kd/core/tensor.h"

namespace kd::data {

Tensor Halve::map_element(const Tensor& element) const { return element / 2; }

}  // namespace kd::data
