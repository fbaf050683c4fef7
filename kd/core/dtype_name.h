// Element types by numpy's names, in messages and files: "float32", "float32[2 3]".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kd/core/tensor.h"

namespace kd {

// "float32", "bool"; of a type that numpy does not have, libtorch's name.
std::string_view dtype_name(c10::ScalarType dtype);
// The type of that name.
std::optional<c10::ScalarType> dtype_named(std::string_view name);
// "float32[28 28 1]"
std::string spec_text(const Tensor& tensor);

}  // namespace kd
