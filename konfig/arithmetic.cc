// Python's operators on Values.
#include "konfig/arithmetic.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "konfig/node_impl.h"
#include "konfig/print.h"
#include "konfig/scalar_text.h"

namespace konfig::detail {
namespace {

std::optional<std::int64_t> whole(const Value& v) {
  if (auto* i = v.get_if<std::int64_t>()) return *i;
  if (auto* b = v.get_if<bool>()) return *b ? 1 : 0;
  return std::nullopt;
}

std::optional<double> real(const Value& v) {
  if (auto* d = v.get_if<double>()) return *d;
  if (auto i = whole(v)) return static_cast<double>(*i);
  return std::nullopt;
}

// For comparisons only: a big number is not computed with.
std::optional<double> magnitude(const Value& v) {
  if (auto* big = v.get_if<BigInt>()) return std::strtod(big->digits.c_str(), nullptr);
  return real(v);
}

int sign_of(auto x, auto y) { return x < y ? -1 : x == y ? 0 : 1; }

// Exactly, where converting to double would round.
int compare_exactly(std::int64_t i, double d) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (d >= kLimit) return -1;
  if (d < -kLimit) return 1;
  auto below = std::floor(d);
  auto order = sign_of(i, static_cast<std::int64_t>(below));
  return order == 0 && below < d ? -1 : order;
}

// -1, 0 or 1 for two numbers; empty: not both numbers, or a NaN is involved.
std::optional<int> compare_numbers(const Value& a, const Value& b) {
  auto i = whole(a), j = whole(b);
  if (i && j) return sign_of(*i, *j);
  auto x = magnitude(a), y = magnitude(b);
  if (!x || !y || std::isnan(*x) || std::isnan(*y)) return std::nullopt;
  if (i && b.is<double>()) return compare_exactly(*i, *y);
  if (j && a.is<double>()) return -compare_exactly(*j, *x);
  return sign_of(*x, *y);
}

[[noreturn]] void unsupported(Op op, const Value& a, const Value& b) {
  throw Error(ErrorKind::type,
              fmt::format("{} {} {}: not defined for {} and {}", shorten(a.repr(), 40),
                          to_string(op), shorten(b.repr(), 40), a.type_name(), b.type_name()));
}

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

// "%d of %s" % (3, "x")
std::string format_percent(std::string_view pattern, const Value& arg) {
  std::vector<Value> args{arg};
  if (auto* tuple = arg.get_if<Tuple>()) args.assign(tuple->begin(), tuple->end());
  std::string out;
  std::size_t used = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      out += pattern[i];
      continue;
    }
    auto end = pattern.find_first_not_of("0123456789.-+ #", i + 1);
    if (end == pattern.npos)
      throw Error(ErrorKind::value, "incomplete format in " + repr_text(pattern));
    char kind = pattern[end];
    std::string flags(pattern.substr(i + 1, end - i - 1));
    i = end;
    if (kind == '%') {
      out += '%';
      continue;
    }
    if (used >= args.size())
      throw Error(ErrorKind::type, "not enough values for " + repr_text(pattern));
    const auto& v = args[used++];
    // Python aligns text to the right; fmt writes '<' for its '-'.
    if (auto at = flags.find('-'); at != flags.npos) {
      flags.erase(at, 1);
      flags.insert(flags.begin(), '<');
    } else if (!flags.empty() && (kind == 's' || kind == 'r')) {
      flags.insert(flags.begin(), '>');
    }
    if (kind == 'd' || kind == 'i' || kind == 'x') {
      auto n =
          real(v) ? to_int(v) : throw Error(ErrorKind::type, "%d needs a number, got " + v.repr());
      out += fmt::format(fmt::runtime("{:" + flags + (kind == 'x' ? "x}" : "d}")),
                         n.as<std::int64_t>());
    } else if (kind == 'f' || kind == 'e' || kind == 'g') {
      auto x = real(v);
      if (!x) throw Error(ErrorKind::type, "a number format needs a number, got " + v.repr());
      out += fmt::format(fmt::runtime("{:" + flags + kind + "}"), *x);
    } else if (kind == 's' || kind == 'r') {
      auto text = kind == 's' ? to_str(v).as<std::string>() : v.repr();
      out += fmt::format(fmt::runtime("{:" + flags + "}"), text);
    } else {
      throw Error(ErrorKind::value,
                  fmt::format("unknown format %{} in {}", kind, repr_text(pattern)));
    }
  }
  if (used < args.size())
    throw Error(ErrorKind::type, "not all values used by " + repr_text(pattern));
  return out;
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

// -1, 0 or 1; empty: a NaN is involved. An Error where no order is defined.
std::optional<int> compare(Op op, const Value& a, const Value& b) {
  if (magnitude(a) && magnitude(b)) return compare_numbers(a, b);
  if (auto* x = a.get_if<std::string>(), *y = b.get_if<std::string>(); x && y)
    return sign_of(*x, *y);
  auto sequences = [&](const Sequence& x, const Sequence& y) -> std::optional<int> {
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      if (!(x[i] == y[i])) return compare(op, x[i], y[i]);
    }
    return sign_of(x.size(), y.size());
  };
  if (a.is<List>() && b.is<List>()) return sequences(a.as<List>(), b.as<List>());
  if (a.is<Tuple>() && b.is<Tuple>()) return sequences(a.as<Tuple>(), b.as<Tuple>());
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

static std::string_view trimmed(std::string_view text) {
  auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

Value to_int(const Value& a) {
  if (auto i = whole(a)) return *i;
  if (a.is<BigInt>()) return a;
  if (auto* d = a.get_if<double>()) {
    if (!(std::fabs(*d) < 9.2e18)) {
      throw Error(ErrorKind::arithmetic, "int(" + a.repr() + "): does not fit 64 bits");
    }
    return static_cast<std::int64_t>(*d);
  }
  if (auto* text = a.get_if<std::string>()) {
    auto words = trimmed(*text);
    std::int64_t i = 0;
    auto [ptr, error] = std::from_chars(words.data(), words.data() + words.size(), i);
    if (error == std::errc{} && ptr == words.data() + words.size() && !words.empty()) return i;
    throw Error(ErrorKind::value, "int(" + shorten(a.repr(), 40) + "): not a whole number");
  }
  throw Error(ErrorKind::type,
              "int(" + shorten(a.repr(), 40) + "): not defined for " + std::string(a.type_name()));
}

Value to_float(const Value& a) {
  if (auto x = magnitude(a)) return *x;
  if (auto* text = a.get_if<std::string>()) {
    auto words = trimmed(*text);
    double d = 0;
    auto [ptr, error] = std::from_chars(words.data(), words.data() + words.size(), d);
    if (error == std::errc{} && ptr == words.data() + words.size() && !words.empty()) return d;
    throw Error(ErrorKind::value, "float(" + shorten(a.repr(), 40) + "): not a number");
  }
  throw Error(ErrorKind::type, "float(" + shorten(a.repr(), 40) + "): not defined for " +
                                   std::string(a.type_name()));
}

Value to_str(const Value& a) {
  if (a.is<std::string>()) return a;
  if (auto* path = a.get_if<std::filesystem::path>()) return path->string();
  return a.repr();
}

namespace {
bool equal_items(const Sequence& a, const Sequence& b) {
  if (a.identity() == b.identity()) return true;
  if (a.size() != b.size()) return false;
  thread_local int depth = 0;
  DepthGuard guard(depth);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(a[i], b[i])) return false;
  }
  return true;
}
}  // namespace

bool equal(const Value& a, const Value& b) {
  if (a.is<Reference>()) return equal(a.as<Reference>().get(), b);
  if (b.is<Reference>()) return equal(a, b.as<Reference>().get());
  if (a.is<BigInt>() && b.is<BigInt>()) return a.as<BigInt>() == b.as<BigInt>();
  if (magnitude(a) && magnitude(b)) return compare_numbers(a, b) == 0;
  if (a.variant().index() != b.variant().index()) return false;
  if (auto* set = a.get_if<Set>()) {
    auto& other = b.as<Set>();
    if (set->size() != other.size()) return false;
    for (auto& v : *set) {
      if (std::find(other.begin(), other.end(), v) == other.end()) return false;
    }
    return true;
  }
  if (auto* list = a.get_if<List>()) return equal_items(*list, b.as<List>());
  if (auto* tuple = a.get_if<Tuple>()) return equal_items(*tuple, b.as<Tuple>());
  if (auto* dict = a.get_if<Dict>()) {
    auto& other = b.as<Dict>();
    if (dict->size() != other.size()) return false;
    thread_local int depth = 0;
    DepthGuard guard(depth);
    for (auto& [k, v] : *dict) {
      auto* w = other.find(k);
      if (!w || !equal(v, *w)) return false;
    }
    return true;
  }
  return std::visit(
      [&]<class T>(const T& x) {
        if constexpr (std::is_base_of_v<Sequence, T> || std::is_same_v<T, Dict> ||
                      std::is_same_v<T, Reference>) {
          return false;  // handled above
        } else {
          return x == b.as<T>();
        }
      },
      a.variant());
}

Value get_item(const Value& a, const Value& key) {
  auto at = [&](std::size_t size) {
    auto* i = key.get_if<std::int64_t>();
    if (!i) {
      throw Error(ErrorKind::type, "a " + std::string(a.type_name()) +
                                       " is indexed by whole numbers, not " +
                                       shorten(key.repr(), 40));
    }
    auto n = static_cast<std::int64_t>(size);
    if (*i < -n || *i >= n) {
      throw Error(ErrorKind::index, fmt::format("[{}]: outside a {} of {}", *i, a.type_name(), n));
    }
    return static_cast<std::size_t>(*i < 0 ? *i + n : *i);
  };
  if (auto* cfg = a.get_if<ConfigDict>()) return cfg->get(key);
  if (auto* dict = a.get_if<Dict>()) return dict->at(key);
  if (auto* list = a.get_if<List>()) return (*list)[at(list->size())];
  if (auto* tuple = a.get_if<Tuple>()) return (*tuple)[at(tuple->size())];
  if (auto* text = a.get_if<std::string>()) return std::string(1, (*text)[at(text->size())]);
  if (auto* ref = a.get_if<Reference>()) return get_item(ref->get(), key);
  throw Error(ErrorKind::type, std::string(a.type_name()) + " " + shorten(a.repr(), 40) +
                                   " has no element " + shorten(key.repr(), 40));
}

}  // namespace konfig::detail
