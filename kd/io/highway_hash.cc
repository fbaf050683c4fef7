// HighwayHash with 64 bits (Alakuijala, Cox, Wassenberg, 2016), with Riegeli's key.
#include <array>
#include <bit>
#include <cstring>

#include "kd/io/checksum.h"

namespace kd::io {

namespace {

using Word = std::uint64_t;
using Lanes = std::array<Word, 4>;

Word swap_halves(Word x) { return std::rotl(x, 32); }

class HighwayHash {
 public:
  explicit HighwayHash(const Lanes& key)
      : mul0_{0xdbe6d5d5fe4cce2f, 0xa4093822299f31d0, 0x13198a2e03707344, 0x243f6a8885a308d3},
        mul1_{0x3bd39e10cb0ef593, 0xc0acf169b5f18a8c, 0xbe5466cf34e90c6c, 0x452821e638d01377} {
    for (std::size_t i = 0; i < 4; ++i) {
      v0_[i] = mul0_[i] ^ key[i];
      v1_[i] = mul1_[i] ^ swap_halves(key[i]);
    }
  }

  Word operator()(std::string_view data) {
    for (; data.size() >= 32; data.remove_prefix(32)) update(lanes_of(data.data()));
    if (!data.empty()) finish_tail(data);
    for (int i = 0; i < 4; ++i) {
      update({swap_halves(v0_[2]), swap_halves(v0_[3]), swap_halves(v0_[0]), swap_halves(v0_[1])});
    }
    return v0_[0] + v1_[0] + mul0_[0] + mul1_[0];
  }

 private:
  static Lanes lanes_of(const char* bytes) {
    Lanes out = {};
    for (std::size_t i = 0; i < 32; ++i) {
      out[i / 8] |= Word{static_cast<unsigned char>(bytes[i])} << 8 * (i % 8);
    }
    return out;
  }

  // Mixes the bytes of two neighbours and adds them.
  static void zip(Word v1, Word v0, Word& add1, Word& add0) {
    auto byte = [](Word x, int i) { return x & Word{0xFF} << 8 * i; };
    add0 += (byte(v0, 3) | byte(v1, 4)) >> 24 | (byte(v0, 5) | byte(v1, 6)) >> 16 | byte(v0, 2) |
            byte(v0, 1) << 32 | byte(v1, 7) >> 8 | v0 << 56;
    add1 += (byte(v1, 3) | byte(v0, 4)) >> 24 | byte(v1, 2) | byte(v1, 5) >> 16 |
            byte(v1, 1) << 24 | byte(v0, 6) >> 8 | byte(v1, 0) << 48 | byte(v0, 7);
  }

  void update(const Lanes& lanes) {
    constexpr Word kLow = 0xFFFFFFFF;
    for (std::size_t i = 0; i < 4; ++i) {
      v1_[i] += mul0_[i] + lanes[i];
      mul0_[i] ^= (v1_[i] & kLow) * (v0_[i] >> 32);
      v0_[i] += mul1_[i];
      mul1_[i] ^= (v0_[i] & kLow) * (v1_[i] >> 32);
    }
    zip(v1_[1], v1_[0], v0_[1], v0_[0]);
    zip(v1_[3], v1_[2], v0_[3], v0_[2]);
    zip(v0_[1], v0_[0], v1_[1], v1_[0]);
    zip(v0_[3], v0_[2], v1_[3], v1_[2]);
  }

  // The last 1 to 31 bytes, spread over a block.
  void finish_tail(std::string_view data) {
    const std::size_t n = data.size(), odd = n % 4;
    for (Word& word : v0_) word += (Word{n} << 32) + n;
    for (Word& word : v1_) {
      const auto low = std::rotl(static_cast<std::uint32_t>(word), static_cast<int>(n));
      const auto high = std::rotl(static_cast<std::uint32_t>(word >> 32), static_cast<int>(n));
      word = Word{high} << 32 | low;
    }
    char block[32] = {};
    const std::size_t whole = n - odd;
    std::memcpy(block, data.data(), whole);
    if (n & 16) {
      std::memcpy(block + 28, data.data() + n - 4, 4);
    } else if (odd > 0) {
      block[16] = data[whole];
      block[17] = data[whole + odd / 2];
      block[18] = data[whole + odd - 1];
    }
    update(lanes_of(block));
  }

  Lanes v0_, v1_, mul0_, mul1_;
};

}  // namespace

std::uint64_t riegeli_hash(std::string_view data) {
  // "Riegeli/", "records\n", twice.
  constexpr Lanes kKey = {0x2f696c6567656952, 0x0a7364726f636572, 0x2f696c6567656952,
                          0x0a7364726f636572};
  return HighwayHash(kKey)(data);
}

}  // namespace kd::io
