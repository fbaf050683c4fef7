// Values as numbers and texts, and their items, as in Python.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "konfig/arithmetic_impl.h"
#include "konfig/print.h"

namespace konfig::detail {

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

std::optional<double> magnitude(const Value& v) {
  if (auto* big = v.get_if<BigInt>()) return std::strtod(big->digits.c_str(), nullptr);
  return real(v);
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
