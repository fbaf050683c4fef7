// Key: the seed of a random draw. The same key always gives the same numbers, as in JAX, bit for
// bit; new numbers need a new key.
//
//   random::Key root = random::key(42);
//   auto [a, b] = random::split<2>(root);
//   random::Key dropout = fold_in(fold_in(root, "dropout"), step);
//   Tensor noise = random::normal(dropout, {8, 128});          // kd/random/sample.h
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kd::random {

struct Key {
  std::uint32_t hi = 0, lo = 0;
  friend bool operator==(const Key&, const Key&) = default;
};

// How a key numbers its draws. JAX's old mode is there for comparison with old results.
enum class Mode : std::uint8_t {
  partitionable,  // element i depends on i alone: the default
  original,       // the number of elements matters too
};

namespace detail {
[[noreturn]] void fail_range(std::string_view what, bool negative, std::uint64_t magnitude);
template <class To, std::integral From>
To checked(From value, std::string_view what) {
  if (!std::in_range<To>(value)) {
    bool negative = std::cmp_less(value, 0);
    auto bits = static_cast<std::uint64_t>(value);
    fail_range(what, negative, negative ? 0 - bits : bits);
  }
  return static_cast<To>(value);
}
}  // namespace detail

// The key of a seed. The seed counts modulo 2**32, as in the reference's usual 32-bit mode.
template <std::integral I>
Key key(I seed) {
  auto bits = detail::checked<std::int64_t>(seed, "a seed is from -2**63 to 2**63 - 1");
  return {0, static_cast<std::uint32_t>(bits)};
}
// The key of a seed in the reference's 64-bit mode: all bits count.
template <std::integral I>
Key key64(I seed) {
  auto bits = detail::checked<std::int64_t>(seed, "a seed is from -2**63 to 2**63 - 1");
  return {static_cast<std::uint32_t>(static_cast<std::uint64_t>(bits) >> 32),
          static_cast<std::uint32_t>(bits)};
}

// Independent keys.
std::vector<Key> split(const Key& key, std::int64_t n, Mode mode = Mode::partitionable);
template <std::size_t N>
std::array<Key, N> split(const Key& key) {
  std::array<Key, N> out;
  auto keys = split(key, static_cast<std::int64_t>(N));
  for (std::size_t i = 0; i < N; ++i) out[i] = keys[i];
  return out;
}
Key next(const Key& key);  // split(key, 1)[0]

// The key for one of many things: a step, a name.
namespace detail {
Key fold(const Key& key, std::uint32_t data);
}
template <std::integral I>
requires(!std::same_as<I, bool>) Key fold_in(const Key& key, I data) {
  return detail::fold(key, detail::checked<std::uint32_t>(data, "fold_in takes 0 to 2**32 - 1"));
}
Key fold_in(const Key& key, std::string_view name);
// The number that stands for a name: the first four bytes of its SHA-1.
std::uint32_t hash(std::string_view name);

// The key of the `counter`-th draw (from 1) in the module at `path`, as Flax derives it: one hash
// of all names and the counter, without separators.
Key fold_in_path(const Key& key, std::span<const std::string> path, std::uint64_t counter);
// The general form. No parts: the key itself.
using PathPart = std::variant<std::string, std::uint64_t>;
Key fold_in_path(const Key& key, std::span<const PathPart> parts);

// A seed for things that want a number, from 0 to 2**32 - 1. Not the seed the key was made of.
std::uint32_t as_seed(const Key& key);

// The building blocks: the noise of one counter, and of many: `counts` are cut into two halves that
// are the two words of the counters.
Key threefry(const Key& key, const Key& counter);
std::vector<std::uint32_t> threefry(const Key& key, std::span<const std::uint32_t> counts);

}  // namespace kd::random
