// Shapes and axes: what several layers need. Library only.
#pragma once

#include <string>
#include <vector>

#include "kd/core/tensor.h"
#include "kd/nn/module/fields.h"

namespace kd::nn::detail {

using Dims = std::vector<std::int64_t>;

[[noreturn]] void fail(const std::string& message);

std::int64_t product(at::IntArrayRef sizes);

// An axis from 0 to rank - 1; an Error when it is out of range. `field` is what it is called.
std::int64_t normalized(std::int64_t axis, std::int64_t rank, const char* field);
// All of them, sorted; an Error when one is there twice.
Dims normalized(const Ints& axes, std::int64_t rank, const char* field);

}  // namespace kd::nn::detail
