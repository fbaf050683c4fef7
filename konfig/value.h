// Value: the one dynamic value. Configs are made of Values, and so is what they resolve to.
//
//   Value v = 3;                    // int64
//   Value t = Tuple{1, "two"};      // containers are written out: List, Tuple, Set, Dict
//   if (v.is<std::int64_t>()) use(v.as<std::int64_t>());
//
// Comparison follows Python: 1 == 1.0 == true, a list never equals a tuple.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "konfig/config_dict.h"
#include "konfig/error.h"
#include "konfig/reference_handle.h"

namespace konfig {

struct Type;  // konfig/type.h

struct None {
  bool operator==(const None&) const = default;
};
struct Ellipsis {
  bool operator==(const Ellipsis&) const = default;
};
struct Slice {
  std::optional<std::int64_t> start, stop, step;
  bool operator==(const Slice&) const = default;
};
struct Bytes {
  std::string data;
  bool operator==(const Bytes&) const = default;
};
// A whole number beyond 64 bits: kept and printed exactly, not computed with.
struct BigInt {
  std::string digits;
  bool operator==(const BigInt&) const = default;
};
// Only parsers make these; no config accepts one.
struct Complex {
  double real = 0, imag = 0;
  bool operator==(const Complex&) const = default;
};
// A type, function or constant named by a `__const__` node and found in the registry.
struct SymbolName {
  std::string qualname;
  bool operator==(const SymbolName&) const = default;
};
// A C++ object built by `resolve`. Equal when it is the same object.
struct Object {
  const Type* type = nullptr;
  std::shared_ptr<const void> ptr;
  bool operator==(const Object& o) const { return ptr == o.ptr; }
};

class Sequence;
namespace detail {
struct Items;  // storage of a sequence
struct Pairs;  // storage of a Dict
const std::shared_ptr<Items>& storage(const Sequence& sequence);
}  // namespace detail

// A sequence is a handle: copies share the elements, as in Python. A config stores its own copy.
class Sequence {
 public:
  Sequence();
  Sequence(std::initializer_list<Value> items);
  explicit Sequence(std::vector<Value> items);

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  const Value& operator[](std::size_t i) const;
  const Value* begin() const;
  const Value* end() const;
  void push_back(Value);
  void set(std::size_t i, Value);
  const void* identity() const { return items_.get(); }  // equal for handles of one sequence

 private:
  friend const std::shared_ptr<detail::Items>& detail::storage(const Sequence& sequence);
  std::shared_ptr<detail::Items> items_;
};
class List : public Sequence {
 public:
  using Sequence::Sequence;
};
class Tuple : public Sequence {
 public:
  using Sequence::Sequence;
};
class Set : public Sequence {  // in order of insertion, without repeats
 public:
  Set() = default;
  Set(std::initializer_list<Value> items);
  explicit Set(std::vector<Value> items, bool frozen = false);
  bool frozen = false;
};

// A plain ordered map: what a config is written from and what `resolve` makes of plain nodes.
// It is data only; ConfigDict is the config.
class Dict {
 public:
  using Pair = std::pair<Value, Value>;
  Dict();
  Dict(std::initializer_list<Pair> pairs);
  std::size_t size() const;
  const Pair* begin() const;
  const Pair* end() const;
  const Value* find(const Value& key) const;
  const Value& at(const Value& key) const;
  void set(Value key, Value value);  // keeps the place of an existing key
  bool frozen = false;               // an immutable map: what `resolve` gives by default

 private:
  std::shared_ptr<detail::Pairs> pairs_;
};

namespace detail {
template <class T, class Variant>
inline constexpr bool is_alternative = false;
template <class T, class... A>
inline constexpr bool is_alternative<T, std::variant<A...>> = (std::is_same_v<T, A> || ...);
}  // namespace detail

class Value {
 public:
  using Variant = std::variant<None, bool, std::int64_t, double, std::string, List, Tuple,
                               ConfigDict, Reference, Dict, Set, Bytes, BigInt, Complex, Ellipsis,
                               Slice, std::filesystem::path, SymbolName, Object>;

  Value() = default;
  Value(std::nullptr_t) {}
  Value(std::nullopt_t) {}
  Value(const char* text) : v_(std::string(text)) {}
  Value(std::string_view text) : v_(std::string(text)) {}
  template <std::integral I>
  requires(!std::same_as<I, bool> && !std::same_as<I, char>) Value(I i) {
    if constexpr (std::unsigned_integral<I> && sizeof(I) == 8) {
      *this = from_unsigned(i);
    } else {
      v_ = static_cast<std::int64_t>(i);
    }
  }
  Value(float f) : v_(static_cast<double>(f)) {}
  template <class T, class U = std::remove_cvref_t<T>>
  requires(detail::is_alternative<U, Variant> && !std::is_same_v<U, std::int64_t>) Value(T&& v)
      : v_(std::in_place_type<U>, std::forward<T>(v)) {}
  Value(const Item&);  // the current value of cfg["key"]

  template <class T>
  bool is() const {
    return std::holds_alternative<T>(v_);
  }
  bool is_none() const { return is<None>(); }
  // The value as exactly this alternative; an Error of kind `type` otherwise. Of a temporary it is
  // a copy, so that `for (auto& v : resolve(cfg).as<Tuple>())` is safe.
  template <class T>
  const T& as() const& {
    if (auto* p = std::get_if<T>(&v_)) return *p;
    fail_as(index_of<T>(std::make_index_sequence<std::variant_size_v<Variant>>{}));
  }
  template <class T>
  T as() && {
    return std::as_const(*this).template as<T>();
  }
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&v_);
  }
  const Variant& variant() const { return v_; }

  // Python's name of the type: "int", "NoneType", "ConfigDict", ...
  std::string_view type_name() const;
  // Python's notation, on one line; see konfig/print.h for the layout of whole configs.
  std::string repr() const;

  friend bool operator==(const Value&, const Value&);

 private:
  static Value from_unsigned(std::uint64_t);
  template <class T, std::size_t... I>
  static constexpr std::size_t index_of(std::index_sequence<I...>) {
    return ((std::is_same_v<T, std::variant_alternative_t<I, Variant>> ? I : 0) + ...);
  }
  [[noreturn]] void fail_as(std::size_t wanted) const;
  Variant v_;
};

// Here, where Value is complete: clang 14 needs it for the vector.
inline Set::Set(std::initializer_list<Value> items) : Set(std::vector<Value>(items)) {}

template <class T>
T Item::as() const {
  return get().as<T>();
}

}  // namespace konfig
