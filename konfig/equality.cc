// Equality and order of Values, as Python sees them.
#include <algorithm>
#include <cmath>

#include "konfig/arithmetic_impl.h"
#include "konfig/node.h"

namespace konfig::detail {
namespace {

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

}  // namespace konfig::detail
