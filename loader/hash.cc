#include "loader/hash.h"

#include <fcntl.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace loader {
namespace {

std::string digits(XXH128_hash_t hash) {
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, hash);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned char byte : bytes.digest) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

}  // namespace

std::string hash(std::string_view text) { return digits(XXH3_128bits(text.data(), text.size())); }

std::string hash(const base::File& file) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  std::string block(1 << 20, '\0');
  for (std::uint64_t at = 0;;) {
    const auto n = file.read_at(at, block.data(), block.size());
    XXH3_128bits_update(&state, block.data(), n);
    at += n;
    if (n < block.size()) return digits(XXH3_128bits_digest(&state));
  }
}

std::optional<std::string> hash_file(const std::filesystem::path& file) {
  auto text = base::try_read_file(file);
  return text ? std::optional(hash(*text)) : std::nullopt;
}

}  // namespace loader
