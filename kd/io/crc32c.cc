// CRC-32C, by the processor's instruction where there is one.
#include <array>
#include <bit>
#include <cstring>

#include "kd/io/checksum.h"

namespace kd::io {

namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;

constexpr std::array<std::uint32_t, 256> kTable = [] {
  std::array<std::uint32_t, 256> out = {};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? kPolynomial : 0);
    out[i] = crc;
  }
  return out;
}();

std::uint32_t portable(std::uint32_t crc, std::string_view data) {
  for (unsigned char byte : data) crc = crc >> 8 ^ kTable[(crc ^ byte) & 0xFF];
  return crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::uint32_t crc,
                                                               std::string_view data) {
  std::uint64_t wide = crc;
  for (; data.size() >= 8; data.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, data.data(), 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  auto out = static_cast<std::uint32_t>(wide);
  for (unsigned char byte : data) out = __builtin_ia32_crc32qi(out, byte);
  return out;
}
const bool kHasInstruction = __builtin_cpu_supports("sse4.2");
#endif

}  // namespace

std::uint32_t crc32c(std::string_view data) {
#ifdef __x86_64__
  if (kHasInstruction) return ~by_instruction(~0u, data);
#endif
  return ~portable(~0u, data);
}

std::uint32_t masked_crc32c(std::string_view data) {
  constexpr std::uint32_t kMask = 0xA282EAD8;
  return std::rotr(crc32c(data), 15) + kMask;
}

}  // namespace kd::io
