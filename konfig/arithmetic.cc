// Python's operators on Values.
#include "konfig/arithmetic.h"

#include <fmt/format.h>

#include <cmath>

#include "konfig/arithmetic_impl.h"
#include "konfig/print.h"

namespace konfig::detail {

void unsupported(Op op, const Value& a, const Value& b) {
  throw Error(ErrorKind::type,
              fmt::format("{} {} {}: not defined for {} and {}", shorten(a.repr(), 40),
                          to_string(op), shorten(b.repr(), 40), a.type_name(), b.type_name()));
}

namespace {

[[noreturn]] void overflow(Op op, const Value& a, const Value& b) {
  throw Error(ErrorKind::arithmetic, fmt::format("{} {} {}: the result does not fit 64 bits",
                                                 a.repr(), to_string(op), b.repr()));
}

[[noreturn]] void by_zero(Op op, const Value& a) {
  throw Error(ErrorKind::arithmetic,
              fmt::format("{} {} 0: division by zero", a.repr(), to_string(op)));
}

// Rounds towards minus infinity, as the remainder takes the divisor's sign.
Value floor_divide(std::int64_t a, std::int64_t b) {
  auto q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}
Value remainder(std::int64_t a, std::int64_t b) {
  auto r = a % b;
  return (r != 0 && (r < 0) != (b < 0)) ? r + b : r;
}
double remainder(double a, double b) {
  double r = std::fmod(a, b);
  if (r != 0) return (r < 0) != (b < 0) ? r + b : r;
  return std::copysign(0.0, b);
}

// As Python computes it, with the sign of a zero.
double floor_divide(double a, double b) {
  auto mod = std::fmod(a, b);
  auto quotient = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) quotient -= 1.0;
  if (quotient == 0) return std::copysign(0.0, a / b);
  auto floor = std::floor(quotient);
  return quotient - floor > 0.5 ? floor + 1.0 : floor;
}

Value power(std::int64_t base, std::int64_t exponent, const Value& a, const Value& b) {
  if (exponent < 0) {
    if (base == 0) by_zero(Op::pow, a);
    return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  }
  std::int64_t result = 1;
  for (;;) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) overflow(Op::pow, a, b);
    exponent >>= 1;
    if (exponent == 0) return result;
    if (__builtin_mul_overflow(base, base, &base)) overflow(Op::pow, a, b);
  }
}

Value of_whole(Op op, std::int64_t x, std::int64_t y, const Value& a, const Value& b) {
  std::int64_t r = 0;
  switch (op) {
    case Op::add:
      return __builtin_add_overflow(x, y, &r) ? (overflow(op, a, b), r) : r;
    case Op::sub:
      return __builtin_sub_overflow(x, y, &r) ? (overflow(op, a, b), r) : r;
    case Op::mul:
      return __builtin_mul_overflow(x, y, &r) ? (overflow(op, a, b), r) : r;
    case Op::div:
      if (y == 0) by_zero(op, a);
      return static_cast<double>(x) / static_cast<double>(y);
    case Op::floordiv:
    case Op::mod:
      if (y == 0) by_zero(op, a);
      if (x == INT64_MIN && y == -1) {
        if (op == Op::mod) return 0;
        overflow(op, a, b);
      }
      return op == Op::mod ? remainder(x, y) : floor_divide(x, y);
    case Op::pow:
      return power(x, y, a, b);
    case Op::bit_and:
      r = x & y;
      break;
    case Op::bit_or:
      r = x | y;
      break;
    case Op::bit_xor:
      r = x ^ y;
      break;
    default:
      unsupported(op, a, b);
  }
  if (a.is<bool>() && b.is<bool>()) return r != 0;
  return r;
}

Value of_real(Op op, double x, double y, const Value& a, const Value& b) {
  switch (op) {
    case Op::add:
      return x + y;
    case Op::sub:
      return x - y;
    case Op::mul:
      return x * y;
    case Op::div:
      if (y == 0) by_zero(op, a);
      return x / y;
    case Op::floordiv:
      if (y == 0) by_zero(op, a);
      return floor_divide(x, y);
    case Op::mod:
      if (y == 0) by_zero(op, a);
      return remainder(x, y);
    case Op::pow:
      if (x == 0 && y < 0) by_zero(op, a);
      if (x < 0 && std::isfinite(y) && y != std::floor(y)) {
        throw Error(ErrorKind::arithmetic, fmt::format("{} ** {}: the result is not real", x, y));
      }
      return std::pow(x, y);
    default:
      unsupported(op, a, b);
  }
}

template <class S>
Value joined(const S& a, const S& b) {
  std::vector<Value> out(a.begin(), a.end());
  out.insert(out.end(), b.begin(), b.end());
  return S(std::move(out));
}

// Results beyond this are mistakes, and would only exhaust the memory.
constexpr std::int64_t kMaxRepeated = 10'000'000;
void check_repeated(std::size_t size, std::int64_t n) {
  if (n > 0 && size > 0 && n > kMaxRepeated / static_cast<std::int64_t>(size)) {
    throw Error(ErrorKind::arithmetic,
                fmt::format("repeating {} elements {} times is too much", size, n));
  }
}

template <class S>
Value repeated(const S& a, std::int64_t n) {
  check_repeated(a.size(), n);
  std::vector<Value> out;
  for (; n > 0; --n) out.insert(out.end(), a.begin(), a.end());
  return S(std::move(out));
}

Value of_text(Op op, const std::string& x, const Value& a, const Value& b) {
  if (auto* y = b.get_if<std::string>(); y && op == Op::add) return x + *y;
  if (auto n = whole(b); n && op == Op::mul) {
    check_repeated(x.size(), *n);
    std::string out;
    for (auto i = *n; i > 0; --i) out += x;
    return out;
  }
  if (op == Op::mod) return format_percent(x, b);
  unsupported(op, a, b);
}

template <class S>
Value of_sequence(Op op, const S& x, const Value& a, const Value& b) {
  if (auto* y = b.get_if<S>(); y && op == Op::add) return joined(x, *y);
  if (auto n = whole(b); n && op == Op::mul) return repeated(x, *n);
  unsupported(op, a, b);
}

bool holds(Op op, std::optional<int> order) {
  if (!order) return false;
  switch (op) {
    case Op::lt:
      return *order < 0;
    case Op::le:
      return *order <= 0;
    case Op::gt:
      return *order > 0;
    default:
      return *order >= 0;
  }
}

}  // namespace

Value apply(Op op, const Value& a, const Value& b) {
  if (op == Op::eq) return equal(a, b);
  if (op == Op::ne) return !equal(a, b);
  if (op == Op::lt || op == Op::le || op == Op::gt || op == Op::ge)
    return holds(op, compare(op, a, b));
  if (auto x = whole(a), y = whole(b); x && y) return of_whole(op, *x, *y, a, b);
  if (auto x = real(a), y = real(b); x && y) return of_real(op, *x, *y, a, b);
  if (magnitude(a) && magnitude(b)) overflow(op, a, b);
  if (auto* text = a.get_if<std::string>()) return of_text(op, *text, a, b);
  if (auto* list = a.get_if<List>()) return of_sequence(op, *list, a, b);
  if (auto* tuple = a.get_if<Tuple>()) return of_sequence(op, *tuple, a, b);
  if (op == Op::mul && whole(a) && (b.is<std::string>() || b.is<List>() || b.is<Tuple>())) {
    return apply(op, b, a);
  }
  if (auto* cfg = a.get_if<ConfigDict>(); cfg && op == Op::bit_or) {
    if (auto* other = b.get_if<ConfigDict>()) return *cfg | *other;
    if (auto* other = b.get_if<Dict>()) return *cfg | ConfigDict(*other);
  }
  unsupported(op, a, b);
}

Value negate(const Value& a) {
  if (auto i = whole(a)) return apply(Op::sub, 0, *i);
  if (auto* d = a.get_if<double>()) return -*d;
  throw Error(ErrorKind::type,
              "-" + shorten(a.repr(), 40) + ": not defined for " + std::string(a.type_name()));
}

Value absolute(const Value& a) {
  if (auto i = whole(a)) return *i < 0 ? negate(*i) : Value(*i);
  if (auto* d = a.get_if<double>()) return std::fabs(*d);
  throw Error(ErrorKind::type,
              "abs(" + shorten(a.repr(), 40) + "): not defined for " + std::string(a.type_name()));
}

}  // namespace konfig::detail
