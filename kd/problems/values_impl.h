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

// A whole number above 0, or -1 for what `otherwise` says: "none".
void check_count(int value, const char* field, const std::string& otherwise);
// The part of something that is dropped: from 0 to 1.
void check_rate(double value, const char* field);

}  // namespace kd::problems
