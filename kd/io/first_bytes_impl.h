// The first bytes of a file, for messages about files that are something else.
#pragma once

#include <cstddef>
#include <string>

#include "kd/io/file.h"

namespace kd::io {

// "0x50 0x4b"; "nothing" of an empty file.
std::string first_bytes(const Bytes& bytes, std::size_t n);

}  // namespace kd::io
