// Values of config fields that mean more than themselves. Library only.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "kd/core/dtype.h"

namespace kd::problems {

// "float32", "uint8"; an Error names the field and the nearest.
DType dtype_of(const std::string& name, const char* field);
// Nothing, or height and width.
void check_size(const std::vector<int>& size, const char* field);

// A whole number above 0, or -1 for what `otherwise` says: "none".
void check_count(int value, const char* field, const std::string& otherwise);
// A finite number of at least 0, and at most `most`.
void check_number(double value, const char* field,
                  double most = std::numeric_limits<double>::max());

}  // namespace kd::problems
