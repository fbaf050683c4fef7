// Checksums of the record formats.
#pragma once

#include <cstdint>
#include <string_view>

namespace kd::io {

// CRC-32C (Castagnoli).
std::uint32_t crc32c(std::string_view data);
// As TFRecord files store it: rotated, and a constant added.
std::uint32_t masked_crc32c(std::string_view data);

// HighwayHash with 64 bits, with the key that Riegeli files use.
std::uint64_t riegeli_hash(std::string_view data);

}  // namespace kd::io
