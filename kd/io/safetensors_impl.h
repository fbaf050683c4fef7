// What the sources of safetensors share.
#pragma once

#include "kd/io/safetensors.h"

namespace kd::io::detail {

// Where the tensors begin, from the first eight bytes of a file.
std::uint64_t safetensors_header_end(std::string_view first, std::uint64_t file_size);
// Place of a dtype in the order of writing, -1 when the format has no such dtype.
int safetensors_rank(at::ScalarType dtype);
// The bytes before the tensors.
std::string safetensors_header(const SafetensorsHeader& header);

}  // namespace kd::io::detail
