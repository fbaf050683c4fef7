// Uniform and normal floats.
#include <ATen/ops/add.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/nextafter.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/sub.h>

#include <bit>
#include <cmath>
#include <limits>

#include "kd/random/kernels_impl.h"
#include "kd/random/sample.h"
#include "kd/random/source_impl.h"
#include "kd/random/special.h"

namespace kd::random {
namespace {

using detail::Format;
using detail::format_of;
using detail::kernels;
using detail::kPiece;
using detail::round_to;
using detail::Source;

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kSqrt2 = std::sqrt(2.0);

// u in [0, 1): random bits of mantissa behind a leading one, minus one.
double unit(std::uint64_t bits) {
  return std::bit_cast<double>(bits >> 12 | 0x3ff0000000000000u) - 1;
}
c10::BFloat16 unit_bfloat16(std::uint32_t bits) {
  return c10::BFloat16(static_cast<std::uint16_t>(bits >> 1 | 0x3f80u),
                       c10::BFloat16::from_bits()) -
         c10::BFloat16(1);
}
c10::Half unit_half(std::uint32_t bits) {
  return c10::Half(static_cast<std::uint16_t>(bits >> 6 | 0x3c00u), c10::Half::from_bits()) -
         c10::Half(1);
}

double scaled(double u, double lo, double hi) { return std::max(lo, std::fma(u, hi - lo, lo)); }
// Narrow floats are rounded after each operation.
template <class T>
T scaled(T u, T lo, T hi) {
  T span = hi - lo, product = u * span, y = product + lo;
  return y > lo ? y : lo;
}

// Fills a tensor of any dtype but float32; `lo` and `hi` give the bounds of an element.
template <class Lo, class Hi>
void fill(const Source& source, Tensor& out, const Lo& lo, const Hi& hi) {
  auto narrow = [&](auto* to, auto unit_of) {
    using T = std::remove_pointer_t<decltype(to)>;
    detail::in_pieces(out.numel(), [&](std::int64_t begin, std::int64_t n) {
      std::uint32_t words[kPiece];
      source.narrow(begin, n, words);
      for (std::int64_t i = 0; i < n; ++i) {
        to[begin + i] = scaled<T>(unit_of(words[i]), static_cast<float>(lo(begin + i)),
                                  static_cast<float>(hi(begin + i)));
      }
    });
  };
  if (out.scalar_type() == at::kBFloat16) {
    return narrow(out.mutable_data_ptr<c10::BFloat16>(), unit_bfloat16);
  }
  if (out.scalar_type() == at::kHalf) return narrow(out.mutable_data_ptr<c10::Half>(), unit_half);
  auto* to = out.mutable_data_ptr<double>();
  detail::in_pieces(out.numel(), [&](std::int64_t begin, std::int64_t n) {
    std::uint64_t longs[kPiece];
    source.longs(begin, n, longs);
    for (std::int64_t i = 0; i < n; ++i) {
      to[begin + i] = scaled(unit(longs[i]), lo(begin + i), hi(begin + i));
    }
  });
}

// float32: words to values, in pieces.
template <class F>
void fill_floats(const Source& source, Tensor& out, const F& convert) {
  auto* to = out.mutable_data_ptr<float>();
  detail::in_pieces(out.numel(), [&](std::int64_t begin, std::int64_t n) {
    std::uint32_t words[kPiece];
    source.words(begin, n, words);
    convert(words, begin, n, to + begin);
  });
}

struct Draw {
  Tensor out;
  Source source;
};
Draw start(const char* what, const Key& key, Shape shape, ScalarType dtype, Mode mode) {
  Format format = format_of(what, dtype);
  Tensor out = detail::make(what, shape, dtype);
  return {out, Source(key, mode, out.numel(), format.drawn)};
}

}  // namespace

Tensor uniform(const Key& key, Shape shape, double lo, double hi, ScalarType dtype, Mode mode) {
  auto [out, source] = start("uniform", key, shape, dtype, mode);
  lo = round_to(dtype, lo), hi = round_to(dtype, hi);
  if (dtype == at::kFloat) {
    auto low = static_cast<float>(lo), span = static_cast<float>(hi) - low;
    fill_floats(source, out, [&](auto* words, std::int64_t, std::int64_t n, float* to) {
      kernels().uniform(words, n, low, span, to);
    });
  } else {
    fill(
        source, out, [=](std::int64_t) { return lo; }, [=](std::int64_t) { return hi; });
  }
  return out;
}

Tensor uniform(const Key& key, Shape shape, const Tensor& lo, const Tensor& hi, ScalarType dtype,
               Mode mode) {
  auto [out, source] = start("uniform", key, shape, dtype, mode);
  Tensor low = detail::spread("uniform", "lo", lo, shape, dtype);
  Tensor high = detail::spread("uniform", "hi", hi, shape, dtype);
  if (dtype == at::kFloat) {
    auto* a = low.const_data_ptr<float>();
    auto* b = high.const_data_ptr<float>();
    fill_floats(source, out, [&](auto* words, std::int64_t begin, std::int64_t n, float* to) {
      kernels().between(words, n, a + begin, b + begin, to);
    });
  } else {
    Tensor x = low.to(at::kDouble), y = high.to(at::kDouble);
    auto* a = x.const_data_ptr<double>();
    auto* b = y.const_data_ptr<double>();
    auto at = [](const double* from) { return [=](std::int64_t i) { return from[i]; }; };
    fill(source, out, at(a), at(b));
  }
  return out;
}

namespace {

// sqrt(2) * erf_inv of a uniform from lo to hi, kept in [min, max].
Tensor bent(const char* what, const Key& key, Shape shape, double lo, double hi, double min,
            double max, ScalarType dtype, Mode mode) {
  if (dtype == at::kFloat) {
    auto [out, source] = start(what, key, shape, dtype, mode);
    auto low = static_cast<float>(lo), span = static_cast<float>(hi) - low;
    auto least = static_cast<float>(min), most = static_cast<float>(max);
    fill_floats(source, out, [&](auto* words, std::int64_t, std::int64_t n, float* to) {
      kernels().normal(words, n, low, span, least, most, to);
    });
    return out;
  }
  Tensor out = erf_inv(uniform(key, shape, lo, hi, dtype, mode)).mul_(round_to(dtype, kSqrt2));
  return min > -kInf || max < kInf ? out.clamp_(min, max) : out;
}

// The uniform number that stands for a bound of a normal, as the reference computes it: in float32
// erf is cut off where it is 1 but for rounding.
Tensor bound_of(const Tensor& bound) {
  auto dtype = bound.scalar_type();
  if (dtype != at::kFloat) return erf(at::div(bound, round_to(dtype, kSqrt2)));
  constexpr double kEnd = 3.7439212799072266;
  return erf(at::mul(bound, round_to(dtype, 1 / kSqrt2)).clamp_(-kEnd, kEnd));
}

}  // namespace

Tensor normal(const Key& key, Shape shape, ScalarType dtype, Mode mode) {
  double lo = -format_of("normal", dtype).below_one();
  return bent("normal", key, shape, lo, 1, -kInf, kInf, dtype, mode);
}

Tensor truncated_normal(const Key& key, Shape shape, double lo, double hi, ScalarType dtype,
                        Mode mode) {
  format_of("truncated_normal", dtype);
  lo = round_to(dtype, lo), hi = round_to(dtype, hi);
  auto bound = [&](double value) {
    return bound_of(at::scalar_tensor(value, at::TensorOptions(dtype))).item<double>();
  };
  return bent("truncated_normal", key, shape, bound(lo), bound(hi),
              detail::next_after(dtype, lo, kInf), detail::next_after(dtype, hi, -kInf), dtype,
              mode);
}

Tensor truncated_normal(const Key& key, Shape shape, const Tensor& lo, const Tensor& hi,
                        ScalarType dtype, Mode mode) {
  format_of("truncated_normal", dtype);
  detail::count_of("truncated_normal", shape);
  double sqrt2 = round_to(dtype, kSqrt2);
  Tensor low = detail::spread("truncated_normal", "lo", lo, shape, dtype);
  Tensor high = detail::spread("truncated_normal", "hi", hi, shape, dtype);
  Tensor u = uniform(key, shape, bound_of(low), bound_of(high), dtype, mode);
  Tensor out = erf_inv(u).mul_(sqrt2);
  Tensor inf = at::scalar_tensor(kInf, at::TensorOptions(dtype));
  auto inner = [&](const Tensor& value, const Tensor& to) {
    if (dtype != at::kHalf) return at::nextafter(value, to);
    Tensor next = at::empty(value.sizes(), value.options());
    auto* from = value.const_data_ptr<c10::Half>();
    auto* put = next.mutable_data_ptr<c10::Half>();
    for (std::int64_t i = 0; i < value.numel(); ++i) {
      put[i] = static_cast<float>(detail::next_after(dtype, from[i], to.item<double>()));
    }
    return next;
  };
  return at::minimum(at::maximum(out, inner(low, inf)), inner(high, inf.neg()));
}

}  // namespace kd::random
