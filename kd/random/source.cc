// Random words of a draw.
#include <ATen/ops/empty.h>

#include <cmath>
#include <limits>

#include "base/shape_text.h"
#include "kd/core/dtype_name.h"
#include "kd/random/kernels_impl.h"
#include "kd/random/source_impl.h"
#include "kd/random/threefry_impl.h"
#include "konfig/error.h"

namespace kd::random::detail {

using konfig::Error;
using konfig::ErrorKind;

Source::Source(const Key& key, Mode mode, std::int64_t elements, int width)
    : key_(key), mode_(mode), width_(width) {
  auto n = static_cast<std::uint64_t>(elements);
  total_ = width == 64 ? 2 * n : (n * static_cast<unsigned>(width) + 31) / 32;
  if (mode == Mode::original && total_ >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error(
        ErrorKind::unsupported,
        "the original mode draws fewer than 2**32 words at once; use the partitionable one");
  }
}

// The counters 0..total-1 are cut into two halves, padded with a zero, which are the two words.
std::uint32_t Source::original_word(std::uint64_t i) const {
  std::uint64_t half = (total_ + 1) / 2, first = i < half ? i : i - half, second = first + half;
  auto a = static_cast<std::uint32_t>(first);
  auto b = static_cast<std::uint32_t>(second < total_ ? second : 0);
  block({key_.hi, key_.lo}, a, b);
  return i < half ? a : b;
}

void Source::words(std::int64_t begin, std::int64_t n, std::uint32_t* out) const {
  auto at = static_cast<std::uint64_t>(begin);
  if (mode_ == Mode::original) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = original_word(at + i);
    return;
  }
  // The upper word of the counter changes at multiples of 2**32.
  constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;
  while (n > 0) {
    auto part = static_cast<std::int64_t>(std::min<std::uint64_t>(n, kTurn - at % kTurn));
    kernels().words(key_, at, part, out);
    at += part, out += part, n -= part;
  }
}

void Source::longs(std::int64_t begin, std::int64_t n, std::uint64_t* out) const {
  auto at = static_cast<std::uint64_t>(begin);
  if (mode_ == Mode::original) {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = std::uint64_t{original_word(at + i)} << 32 | original_word(total_ / 2 + at + i);
    }
    return;
  }
  constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;
  std::uint32_t hi[kPiece], lo[kPiece];
  while (n > 0) {
    auto part = static_cast<std::int64_t>(
        std::min<std::uint64_t>({static_cast<std::uint64_t>(n), kTurn - at % kTurn, kPiece}));
    kernels().pairs(key_, at, part, hi, lo);
    for (std::int64_t i = 0; i < part; ++i) out[i] = std::uint64_t{hi[i]} << 32 | lo[i];
    at += part, out += part, n -= part;
  }
}

void Source::narrow(std::int64_t begin, std::int64_t n, std::uint32_t* out) const {
  const std::uint32_t mask = (1u << width_) - 1;
  if (mode_ == Mode::partitionable) {
    words(begin, n, out);
    for (std::int64_t i = 0; i < n; ++i) out[i] &= mask;
    return;
  }
  // Several elements share a word, the first in its lowest bits.
  for (std::int64_t i = 0; i < n; ++i) {
    auto bit = static_cast<std::uint64_t>(begin + i) * static_cast<unsigned>(width_);
    out[i] = original_word(bit / 32) >> (bit % 32) & mask;
  }
}

std::int64_t count_of(const char* what, at::IntArrayRef shape) {
  std::int64_t n = 1, limit = 1;
  for (auto size : shape) {
    bool bad = size < 0;
    // Strides count an empty dimension as one.
    bad |= __builtin_mul_overflow(limit, std::max<std::int64_t>(size, 1), &limit);
    if (bad || limit > std::numeric_limits<std::int64_t>::max() / 8) {
      throw Error(ErrorKind::value, std::string(what) + ": the shape " + base::shape_text(shape) +
                                        (size < 0 ? " has a negative size" : " is too large"));
    }
    n *= size;
  }
  return n;
}

Tensor make(const char* what, at::IntArrayRef shape, at::ScalarType dtype) {
  count_of(what, shape);
  return at::empty(shape, at::TensorOptions(dtype));
}

Tensor spread(const char* what, const char* name, const Tensor& value, at::IntArrayRef shape,
              at::ScalarType dtype) {
  count_of(what, shape);
  auto sizes = value.sizes();
  bool fits = sizes.size() <= shape.size();
  for (std::size_t i = 1; fits && i <= sizes.size(); ++i) {
    auto size = sizes[sizes.size() - i];
    fits = size == 1 || size == shape[shape.size() - i];
  }
  if (!fits) {
    throw Error(ErrorKind::value, std::string(what) + ": " + name + " of shape " +
                                      base::shape_text(sizes) + " does not broadcast to " +
                                      base::shape_text(shape));
  }
  return value.detach().to(dtype).expand(shape).contiguous();
}

double Format::eps() const { return std::ldexp(1.0, -mantissa); }
double Format::below_one() const { return 1 - eps() / 2; }

Format format_of(const char* what, at::ScalarType dtype) {
  switch (dtype) {
    // The reference draws few bits where few are kept.
    case at::ScalarType::BFloat16:
      return {16, 8, 7, std::ldexp(1.0, -126)};
    case at::ScalarType::Half:
      return {16, 16, 10, std::ldexp(1.0, -14)};
    case at::ScalarType::Float:
      return {32, 32, 23, std::ldexp(1.0, -126)};
    case at::ScalarType::Double:
      return {64, 64, 52, std::ldexp(1.0, -1022)};
    default:
      throw Error(ErrorKind::type,
                  std::string(what) +
                      ": the dtype is one of float32, float64, bfloat16 and float16, not " +
                      std::string(dtype_name(dtype)));
  }
}

double round_to(at::ScalarType dtype, double value) {
  switch (dtype) {
    case at::ScalarType::BFloat16:
      return c10::BFloat16(static_cast<float>(value));
    case at::ScalarType::Half:
      return c10::Half(static_cast<float>(value));
    case at::ScalarType::Float:
      return static_cast<float>(value);
    default:
      return value;
  }
}

double next_after(at::ScalarType dtype, double value, double to) {
  if (dtype == at::ScalarType::Double) return std::nextafter(value, to);
  if (dtype == at::ScalarType::Float) {
    return std::nextafter(static_cast<float>(value), static_cast<float>(to));
  }
  // As bits the numbers of one sign are in order.
  bool up = to > value;
  auto step = [&](auto half) -> double {
    if (value == 0) {
      half.x = up ? 0x0001 : 0x8001;
    } else {
      half.x = static_cast<decltype(half.x)>(half.x + ((value > 0) == up ? 1 : -1));
    }
    return half;
  };
  if (dtype == at::ScalarType::BFloat16) return step(c10::BFloat16(static_cast<float>(value)));
  return step(c10::Half(static_cast<float>(value)));
}

}  // namespace kd::random::detail
