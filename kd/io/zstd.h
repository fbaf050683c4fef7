// Unpacking of data that zstd packed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kd::io {

// Memory grows with what is really there. An Error, which begins with `name`, where the data is
// damaged or unpacks to more than `most` bytes.
std::string unpacked_zstd(std::string_view packed, std::uint64_t most, const std::string& name);

}  // namespace kd::io
