// Inherit<T, "path">: a field that takes the root's value unless it has its own.
//
//   struct Evaluator { Inherit<Map<Poly<Loss>>, "train_losses"> losses = inherit; };
//   trainer.evals["same"] = Evaluator{};               // the trainer's losses
//   trainer.evals["none"] = Evaluator{.losses = {}};   // no losses: an empty value is a value
//
// The type has no default constructor on purpose: `= {}` must mean "empty", so "not set" is spelled
// `inherit`. konfig/root.h fills the fields when the root is built.
#pragma once

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "konfig/error.h"
#include "konfig/type.h"

namespace konfig {

struct InheritTag {};
inline constexpr InheritTag inherit{};

template <std::size_t N>
struct FixedText {
  char text[N];
  constexpr FixedText(const char (&from)[N]) { std::copy_n(from, N, text); }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

namespace detail {

enum class Origin { unset, given, filled };

// What konfig/root.cc sees of any Inherit.
struct InheritBase {
  Origin origin = Origin::unset;
};
[[noreturn]] void fail_unresolved(std::string_view root_path);

struct Nothing {};
template <class T>
struct ListItem {
  using type = Nothing;
};
template <class T>
requires requires { typename T::mapped_type; }
struct ListItem<T> {
  using type = std::pair<std::string_view, typename T::mapped_type>;
};
template <class T>
requires(
    requires { typename T::value_type; } && !requires { typename T::mapped_type; } &&
    requires(std::initializer_list<typename T::value_type> items) {
      T(items);
    }) struct ListItem<T> {
  using type = typename T::value_type;
};

}  // namespace detail

template <class T, FixedText RootPath>
class Inherit : public detail::InheritBase {
 public:
  using konfig_element = T;
  static constexpr Kind konfig_kind = Kind::inherit;
  static constexpr std::string_view root_path = RootPath.view();

  Inherit(InheritTag) {}
  // `= {}` and `= {a, b}`.
  Inherit(std::initializer_list<typename detail::ListItem<T>::type> items)
      : InheritBase{detail::Origin::given} {
    if constexpr (std::same_as<typename detail::ListItem<T>::type, detail::Nothing>) {
      value_.emplace();
    } else {
      value_.emplace(items);
    }
  }
  template <class U = T>
  requires(std::convertible_to<U, T> && !std::same_as<std::remove_cvref_t<U>, Inherit>)
      Inherit(U&& value)
      : InheritBase{detail::Origin::given}, value_(std::in_place, std::forward<U>(value)) {}

  bool has_value() const { return value_.has_value(); }
  bool is_given() const { return origin == detail::Origin::given; }
  const T& value() const {
    if (!value_) detail::fail_unresolved(root_path);
    return *value_;
  }
  operator const T&() const { return value(); }
  const T& operator*() const { return value(); }
  const T* operator->() const { return &value(); }

  // To write to: an own value from here on, empty at first.
  T& own() {
    if (origin != detail::Origin::given) value_.emplace();
    origin = detail::Origin::given;
    return *value_;
  }
  template <class K>
  requires requires(T t, K key) { t[key]; }
  auto& operator[](const K& key) { return own()[key]; }

  std::optional<T>& storage() { return value_; }

 private:
  std::optional<T> value_;
};

}  // namespace konfig
