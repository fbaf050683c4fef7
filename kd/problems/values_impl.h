// Values of config fields that mean more than themselves. Library only.
#pragma once

#include <string>
#include <vector>

#include "kd/core/dtype.h"

namespace kd::problems {

// "float32", "uint8"; an Error names the field and the nearest.
DType dtype_of(const std::string& name, const char* field);
// Nothing, or height and width.
void check_size(const std::vector<int>& size, const char* field);

}  // namespace kd::problems
