// Random bits and whole numbers.
#include <ATen/ops/scalar_tensor.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "kd/core/dtype_name.h"
#include "kd/random/kernels_impl.h"
#include "kd/random/sample.h"
#include "kd/random/source_impl.h"
#include "konfig/error.h"

namespace kd::random {
namespace {

using detail::in_pieces;
using detail::kPiece;
using detail::Source;
using konfig::Error;
using konfig::ErrorKind;

// Calls fn with a value of the C++ type of an integer dtype.
template <class F>
void with_integer(const char* what, ScalarType dtype, const F& fn) {
  switch (dtype) {
    case ScalarType::Byte:
      return fn(std::uint8_t{});
    case ScalarType::UInt16:
      return fn(std::uint16_t{});
    case ScalarType::UInt32:
      return fn(std::uint32_t{});
    case ScalarType::UInt64:
      return fn(std::uint64_t{});
    case ScalarType::Char:
      return fn(std::int8_t{});
    case ScalarType::Short:
      return fn(std::int16_t{});
    case ScalarType::Int:
      return fn(std::int32_t{});
    case ScalarType::Long:
      return fn(std::int64_t{});
    default:
      throw Error(ErrorKind::type, std::string(what) +
                                       ": the dtype is one of uint8, uint16, uint32, uint64, int8, "
                                       "int16, int32 and int64, not " +
                                       std::string(dtype_name(dtype)));
  }
}

// Narrow types are drawn in 32 bits: fewer would favour some numbers.
template <class T>
using Drawn = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

// What the elements of a range depend on. Sampled in W, unsigned, with wrapping arithmetic.
template <class W>
struct Range {
  W low = 0, span = 1, factor = 0;
};

// A remainder that leaves the number alone where the span is the whole of W, which wraps to 0.
template <class W>
W rest(W x, W span) {
  return span == 0 ? x : x % span;
}

template <class T, class W>
Range<W> range_of(std::int64_t lo, std::int64_t hi) {
  constexpr T kMin = std::numeric_limits<T>::min(), kMax = std::numeric_limits<T>::max();
  auto clip = [](std::int64_t value) {
    if (std::cmp_less(value, kMin)) return kMin;
    return std::cmp_greater(value, kMax) ? kMax : static_cast<T>(value);
  };
  bool past_end = std::cmp_greater(hi, kMax);
  T low = clip(lo), high = clip(hi);
  Range<W> range{.low = static_cast<W>(low)};
  if (high > low) range.span = static_cast<W>(high) - static_cast<W>(low) + (past_end ? 1 : 0);
  W half = rest<W>(W{1} << (sizeof(W) * 4), range.span);
  range.factor = rest<W>(half * half, range.span);
  return range;
}

template <class W>
W pick(const Range<W>& range, W high, W low) {
  W offset = rest(high, range.span) * range.factor + rest(low, range.span);
  return range.low + rest(offset, range.span);
}

// `range(i)` is that of element i.
template <class T, class W, class F>
void fill(const Key& key, Mode mode, Tensor& out, const F& range) {
  auto keys = split(key, 2, mode);
  constexpr int kWidth = sizeof(W) * 8;
  Source high(keys[0], mode, out.numel(), kWidth), low(keys[1], mode, out.numel(), kWidth);
  auto* to = static_cast<T*>(out.data_ptr());
  in_pieces(out.numel(), [&](std::int64_t begin, std::int64_t n) {
    W a[kPiece], b[kPiece];
    if constexpr (kWidth == 64) {
      high.longs(begin, n, a), low.longs(begin, n, b);
    } else {
      high.words(begin, n, a), low.words(begin, n, b);
    }
    for (std::int64_t i = 0; i < n; ++i) {
      to[begin + i] = static_cast<T>(pick<W>(range(begin + i), a[i], b[i]));
    }
  });
}

}  // namespace

Tensor bits(const Key& key, Shape shape, ScalarType dtype, Mode mode) {
  if (dtype != at::kByte && dtype != at::kUInt16 && dtype != at::kUInt32 && dtype != at::kUInt64) {
    throw Error(ErrorKind::type, std::string("bits: the dtype is one of uint8, uint16, uint32 and "
                                             "uint64, not ") +
                                     std::string(dtype_name(dtype)));
  }
  Tensor out = detail::make("bits", shape, dtype);
  Source source(key, mode, out.numel(), static_cast<int>(c10::elementSize(dtype)) * 8);
  with_integer("bits", dtype, [&](auto type) {
    using T = decltype(type);
    auto* to = static_cast<T*>(out.data_ptr());
    in_pieces(out.numel(), [&](std::int64_t begin, std::int64_t n) {
      if constexpr (sizeof(T) == 8) {
        source.longs(begin, n, reinterpret_cast<std::uint64_t*>(to) + begin);
      } else if constexpr (sizeof(T) == 4) {
        source.words(begin, n, reinterpret_cast<std::uint32_t*>(to) + begin);
      } else {
        std::uint32_t words[kPiece];
        source.narrow(begin, n, words);
        for (std::int64_t i = 0; i < n; ++i) to[begin + i] = static_cast<T>(words[i]);
      }
    });
  });
  return out;
}

Tensor randint(const Key& key, Shape shape, std::int64_t lo, std::int64_t hi, ScalarType dtype,
               Mode mode) {
  Tensor out;
  with_integer("randint", dtype, [&](auto type) {
    using T = decltype(type);
    out = detail::make("randint", shape, dtype);
    auto range = range_of<T, Drawn<T>>(lo, hi);
    fill<T, Drawn<T>>(key, mode, out, [&](std::int64_t) { return range; });
  });
  return out;
}

Tensor randint(const Key& key, Shape shape, const Tensor& lo, const Tensor& hi, ScalarType dtype,
               Mode mode) {
  Tensor out;
  with_integer("randint", dtype, [&](auto type) {
    using T = decltype(type);
    Tensor low = detail::spread("randint", "lo", lo, shape, at::kLong);
    Tensor high = detail::spread("randint", "hi", hi, shape, at::kLong);
    out = detail::make("randint", shape, dtype);
    auto* a = low.const_data_ptr<std::int64_t>();
    auto* b = high.const_data_ptr<std::int64_t>();
    fill<T, Drawn<T>>(key, mode, out,
                      [&](std::int64_t i) { return range_of<T, Drawn<T>>(a[i], b[i]); });
  });
  return out;
}

Tensor bernoulli(const Key& key, Shape shape, double p, Precision precision) {
  auto chance = static_cast<float>(p);
  if (precision == Precision::high) {
    return bernoulli(key, shape, at::scalar_tensor(chance, at::TensorOptions(at::kFloat)),
                     precision);
  }
  // A uniform number is k / 2**23 with whole k, so u < p is a comparison of k.
  double limit = chance > 0 ? std::min(std::ceil(double{chance} * (1 << 23)), double{1 << 23}) : 0;
  auto below = static_cast<std::uint32_t>(limit);
  Tensor out = detail::make("bernoulli", shape, at::kBool);
  Source source(key, Mode::partitionable, out.numel(), 32);
  auto* to = out.mutable_data_ptr<bool>();
  in_pieces(out.numel(), [&](std::int64_t begin, std::int64_t n) {
    std::uint32_t words[kPiece];
    source.words(begin, n, words);
    detail::kernels().below(words, n, below, to + begin);
  });
  return out;
}

}  // namespace kd::random
