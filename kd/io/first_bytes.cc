#include "kd/io/first_bytes_impl.h"

#include "base/join.h"

namespace kd::io {

std::string first_bytes(const Bytes& bytes, std::size_t n) {
  if (bytes.data.empty()) return "nothing";
  constexpr std::string_view digits = "0123456789abcdef";
  return base::join(bytes.data.substr(0, n), " ", [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::string("0x") + digits[byte / 16] + digits[byte % 16];
  });
}

}  // namespace kd::io
