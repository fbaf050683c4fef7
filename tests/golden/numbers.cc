// Comparison of tensors.
#include "tests/golden/numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "base/shape_text.h"
#include "tests/golden/tensors.h"

namespace golden {
namespace {

std::string place(const kd::Tensor& tensor, std::int64_t flat) {
  std::string out;
  for (auto d = tensor.dim(); d-- > 0;) {
    out = std::to_string(flat % tensor.size(d)) + (out.empty() ? "" : ", ") + out;
    flat /= tensor.size(d);
  }
  return "[" + out + "]";
}

// Elements that differ, and the one that is furthest beyond its bound.
struct Worst {
  std::int64_t count = 0, at = -1;
  double excess = -1;
};

void note(Worst& worst, std::int64_t i, double excess) {
  ++worst.count;
  if (excess > worst.excess) worst.at = i, worst.excess = excess;
}

Worst compare_floats(const double* a, const double* b, std::int64_t n, const Tolerance& t) {
  Worst worst;
  for (std::int64_t i = 0; i < n; ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    double bound = t.atol + t.rtol * std::abs(b[i]), off = std::abs(a[i] - b[i]);
    if (off <= bound && std::isfinite(b[i])) continue;
    note(worst, i, std::isfinite(off) ? off / (bound > 0 ? bound : 1) : INFINITY);
  }
  return worst;
}

// Whole numbers without a tolerance, with all their bits.
Worst compare_integers(const std::int64_t* a, const std::int64_t* b, std::int64_t n) {
  Worst worst;
  for (std::int64_t i = 0; i < n; ++i) {
    if (a[i] != b[i])
      note(worst, i, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return worst;
}

std::string report(const Worst& worst, const kd::Tensor& ours, const std::string& a,
                   const std::string& b, const Tolerance& t) {
  return fmt::format("{} of {} values differ, worst at {}: ours {}, wanted {} (atol {}, rtol {})",
                     worst.count, ours.numel(), place(ours, worst.at), a, b, t.atol, t.rtol);
}

// libtorch computes little with unsigned types, but converts them.
kd::Tensor as(const kd::Tensor& tensor, c10::ScalarType dtype) {
  return tensor.detach().cpu().to(dtype).contiguous();
}

}  // namespace

Tolerance tolerance_of(const konfig::Value& value) {
  if (value.is_none()) return {};
  if (auto* dict = value.get_if<konfig::Dict>()) {
    auto part = [&](const char* name) {
      auto* found = dict->find(name);
      return found ? number(*found) : 0;
    };
    return {.atol = part("atol"), .rtol = part("rtol")};
  }
  if (auto* text = value.get_if<std::string>()) {
    if (*text != "exact") throw std::runtime_error("unknown tolerance " + *text);
    return {};
  }
  return {.atol = number(value), .rtol = number(value)};
}

std::string difference(const kd::Tensor& ours, const kd::Tensor& wanted, const Tolerance& t) {
  if (!ours.defined()) return "ours is undefined";
  if (t.check_dtype && ours.scalar_type() != wanted.scalar_type()) {
    return "dtype " + numpy_name(ours.scalar_type()) + ", wanted " +
           numpy_name(wanted.scalar_type());
  }
  if (ours.sizes() != wanted.sizes()) {
    return "shape " + base::shape_text(ours.sizes()) + ", wanted " +
           base::shape_text(wanted.sizes());
  }
  bool whole = c10::isIntegralType(ours.scalar_type(), true) &&
               c10::isIntegralType(wanted.scalar_type(), true);
  if (whole && t.atol == 0 && t.rtol == 0) {
    kd::Tensor a = as(ours, at::kLong), b = as(wanted, at::kLong);
    auto* x = a.const_data_ptr<std::int64_t>();
    auto* y = b.const_data_ptr<std::int64_t>();
    Worst worst = compare_integers(x, y, a.numel());
    if (worst.count == 0) return "";
    return report(worst, ours, std::to_string(x[worst.at]), std::to_string(y[worst.at]), t);
  }
  kd::Tensor a = as(ours, at::kDouble), b = as(wanted, at::kDouble);
  auto* x = a.const_data_ptr<double>();
  auto* y = b.const_data_ptr<double>();
  Worst worst = compare_floats(x, y, a.numel(), t);
  if (worst.count == 0) return "";
  return report(worst, ours, fmt::format("{}", x[worst.at]), fmt::format("{}", y[worst.at]), t);
}

}  // namespace golden
