#include "konfig/hash.h"

#include <cmath>
#include <functional>
#include <string>

#include "konfig/node.h"

namespace konfig {

namespace {

std::size_t mixed(std::size_t seed, std::size_t more) {
  return seed ^ (more + 0x9e3779b97f4a7c15 + (seed << 6) + (seed >> 2));
}

std::size_t hash_of(const Value& value, int& depth);

std::size_t hash_of_number(double number) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  const bool whole = number >= -kLimit && number < kLimit && std::floor(number) == number;
  return whole ? std::hash<std::int64_t>()(static_cast<std::int64_t>(number))
               : std::hash<double>()(number);
}

// Whatever the order of the entries is.
std::size_t hash_of_entries(const Dict& dict, int& depth) {
  std::size_t out = 0;
  for (auto& [key, item] : dict) out += mixed(hash_of(key, depth), hash_of(item, depth));
  return out;
}
std::size_t hash_of_entries(const Set& set, int& depth) {
  std::size_t out = 0;
  for (const Value& item : set) out += mixed(1, hash_of(item, depth));
  return out;
}

std::size_t hash_of(const Value& value, int& depth) {
  detail::DepthGuard guard(depth);
  if (auto* flag = value.get_if<bool>()) return std::hash<std::int64_t>()(*flag);
  if (auto* whole = value.get_if<std::int64_t>()) return std::hash<std::int64_t>()(*whole);
  if (auto* number = value.get_if<double>()) return hash_of_number(*number);
  if (auto* big = value.get_if<BigInt>()) return hash_of_number(std::stod(big->digits));
  if (auto* text = value.get_if<std::string>()) return std::hash<std::string>()(*text);
  if (auto* object = value.get_if<Object>()) return std::hash<const void*>()(object->ptr.get());
  if (auto* tuple = value.get_if<Tuple>()) {
    std::size_t out = tuple->size();
    for (const Value& item : *tuple) out = mixed(out, hash_of(item, depth));
    return out;
  }
  auto* dict = value.get_if<Dict>();
  if (dict && dict->frozen) return hash_of_entries(*dict, depth);
  auto* set = value.get_if<Set>();
  if (set && set->frozen) return hash_of_entries(*set, depth);
  if (dict || set || value.is<List>() || value.is<ConfigDict>() || value.is<Reference>()) {
    throw Error(ErrorKind::type, "a " + std::string(value.type_name()) +
                                     " that can change has no hash; resolve gives frozen ones");
  }
  return std::hash<std::string>()(value.repr());
}

}  // namespace

std::size_t HashFrozen::operator()(const Value& value) const {
  int depth = 0;
  return hash_of(value, depth);
}

}  // namespace konfig
