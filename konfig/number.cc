#include "konfig/number.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace konfig::detail {

void write_whole(void* out, std::size_t size, std::uint64_t bits) {
  const auto b8 = static_cast<std::uint8_t>(bits);
  const auto b16 = static_cast<std::uint16_t>(bits);
  const auto b32 = static_cast<std::uint32_t>(bits);
  switch (size) {
    case 1:
      std::memcpy(out, &b8, 1);
      return;
    case 2:
      std::memcpy(out, &b16, 2);
      return;
    case 4:
      std::memcpy(out, &b32, 4);
      return;
    default:
      std::memcpy(out, &bits, 8);
      return;
  }
}

namespace {
template <class Signed, class Unsigned>
std::uint64_t read_as(const void* p, bool is_signed) {
  Unsigned bits;
  std::memcpy(&bits, p, sizeof(bits));
  if (!is_signed) return bits;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<Signed>(bits)));
}
}  // namespace

std::uint64_t read_whole(const void* p, std::size_t size, bool is_signed) {
  switch (size) {
    case 1:
      return read_as<std::int8_t, std::uint8_t>(p, is_signed);
    case 2:
      return read_as<std::int16_t, std::uint16_t>(p, is_signed);
    case 4:
      return read_as<std::int32_t, std::uint32_t>(p, is_signed);
    default:
      return read_as<std::int64_t, std::uint64_t>(p, is_signed);
  }
}

void write_real(void* out, std::size_t size, double number) {
  if (size == sizeof(float)) {
    *static_cast<float*>(out) = static_cast<float>(number);
  } else if (size == sizeof(double)) {
    *static_cast<double*>(out) = number;
  } else {
    *static_cast<long double*>(out) = number;
  }
}

double read_real(const void* p, std::size_t size) {
  if (size == sizeof(double)) return *static_cast<const double*>(p);
  if (size != sizeof(float)) return static_cast<double>(*static_cast<const long double*>(p));
  const float f = *static_cast<const float*>(p);
  if (!std::isfinite(f)) return f;
  char text[32];
  double out = f;
  std::from_chars(text, std::to_chars(text, text + sizeof(text), f).ptr, out);
  return out;
}

bool same_real(const void* a, const void* b, std::size_t size) {
  // The 80-bit long double is padded to 16 bytes.
  return std::memcmp(a, b, size > 8 ? 10 : size) == 0;
}

}  // namespace konfig::detail
