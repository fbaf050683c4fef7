#include "loader/hash_impl.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/file.h"

namespace loader {

std::string hash(std::string_view text) {
  const XXH128_hash_t h = XXH3_128bits(text.data(), text.size());
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, h);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned char byte : bytes.digest) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::optional<std::string> hash_file(const std::filesystem::path& file) {
  auto text = base::try_read_file(file);
  return text ? std::optional(hash(*text)) : std::nullopt;
}

}  // namespace loader
