// Keys: deriving one from another.
#include "kd/random/key.h"

#include "kd/random/sha1.h"
#include "kd/random/threefry_impl.h"
#include "konfig/error.h"

namespace kd::random {

using konfig::Error;
using konfig::ErrorKind;

namespace detail {

void fail_range(std::string_view what, bool negative, std::uint64_t magnitude) {
  throw Error(ErrorKind::value,
              std::string(what) + ", not " + (negative ? "-" : "") + std::to_string(magnitude));
}

Key fold(const Key& key, std::uint32_t data) { return threefry(key, {0, data}); }

}  // namespace detail

namespace {

// The minimal big-endian bytes of a number; 0 has none.
std::string bytes_of(std::uint64_t number) {
  std::string out;
  for (; number > 0; number >>= 8) out.insert(out.begin(), static_cast<char>(number & 0xff));
  return out;
}

}  // namespace

Key threefry(const Key& key, const Key& counter) {
  Key out = counter;
  detail::block({key.hi, key.lo}, out.hi, out.lo);
  return out;
}

std::vector<std::uint32_t> threefry(const Key& key, std::span<const std::uint32_t> counts) {
  std::vector<std::uint32_t> out(counts.begin(), counts.end());
  std::size_t half = (counts.size() + 1) / 2;
  out.resize(2 * half);
  const detail::Schedule schedule(key.hi, key.lo);
  for (std::size_t i = 0; i < half; ++i) detail::block(schedule, out[i], out[half + i]);
  out.resize(counts.size());
  return out;
}

std::vector<Key> split(const Key& key, std::int64_t n, Mode mode) {
  if (n < 0 || n >= (std::int64_t{1} << 31)) {
    throw Error(ErrorKind::value, "split: cannot make " + std::to_string(n) + " keys");
  }
  std::vector<Key> out(static_cast<std::size_t>(n));
  if (mode == Mode::partitionable) {
    for (std::uint32_t i = 0; i < out.size(); ++i) out[i] = threefry(key, {0, i});
    return out;
  }
  std::vector<std::uint32_t> counts(2 * out.size());
  for (std::uint32_t i = 0; i < counts.size(); ++i) counts[i] = i;
  auto words = threefry(key, counts);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = {words[2 * i], words[2 * i + 1]};
  return out;
}

Key next(const Key& key) { return threefry(key, {0, 0}); }

std::uint32_t hash(std::string_view name) { return sha1(name)[0]; }

Key fold_in(const Key& key, std::string_view name) { return detail::fold(key, hash(name)); }

Key fold_in_path(const Key& key, std::span<const std::string> path, std::uint64_t counter) {
  std::string text;
  for (auto& name : path) text += name;
  return detail::fold(key, hash(text + bytes_of(counter)));
}

Key fold_in_path(const Key& key, std::span<const PathPart> parts) {
  if (parts.empty()) return key;
  std::string text;
  for (auto& part : parts) {
    auto* name = std::get_if<std::string>(&part);
    text += name ? *name : bytes_of(std::get<std::uint64_t>(part));
  }
  return detail::fold(key, hash(text));
}

std::uint32_t as_seed(const Key& key) {
  Key words = next(key);
  return words.hi ^ words.lo;
}

}  // namespace kd::random
