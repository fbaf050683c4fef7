// One checked call: the scope is opened, the arguments checked, the result too. Used by
// kd/typing/checked.h.
#pragma once

#include <array>
#include <atomic>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kd/typing/walk.h"

#ifndef KD_TYPING
#define KD_TYPING 1
#endif

namespace kd::typing {

namespace detail {
extern std::atomic<bool> is_on;
}
inline bool enabled() {
#if KD_TYPING
  return detail::is_on.load(std::memory_order_relaxed);
#else
  return false;
#endif
}
void set_enabled(bool on);  // for all threads

namespace detail {

template <auto F>
consteval std::string_view pretty_function() {
  return __PRETTY_FUNCTION__;
}
template <auto F>
inline constexpr FunctionName function_name = [] {
  constexpr auto text = pretty_function<F>();
  constexpr auto begin = text.find("F = ") + 4;
  constexpr auto end = std::min(text.rfind("; std::string_view"), text.rfind(']'));
  return FunctionName{text.substr(begin, end - begin),
                      std::is_member_function_pointer_v<decltype(F)>};
}();

// What a whole-number field of the object holds.
template <class T>
std::optional<std::int64_t> field_of(const void* object, std::string_view name) {
  static const auto names = konfig::field_names<T>();
  std::optional<std::int64_t> out;
  konfig::visit_fields(*static_cast<const T*>(object), [&](const auto&... field) {
    std::size_t i = 0;
    auto take = [&](const auto& value) {
      if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(value)>>) {
        if (names[i] == name) out = static_cast<std::int64_t>(value);
      }
      ++i;
    };
    (take(field), ...);
  });
  return out;
}

// What is known about a signature before anything runs.
template <class R, class... A>
struct Signature {
  static constexpr auto specs =
      std::apply([](auto*... spec) { return std::array<const Spec*, sizeof...(spec)>{spec...}; },
                 specs_in<true>(Types<A..., std::conditional_t<std::is_void_v<R>, int, R>>{}));
  static constexpr bool uses_fields = [] {
    for (const Spec* spec : specs) {
      if (spec->uses_fields) return true;
    }
    return false;
  }();
  static_assert(names_agree(specs.data(), specs.size()),
                "shape: a name stands for one dim in one parameter and for several in another");
  static_assert(arithmetic_is_bound(specs.data(), specs.size()),
                "shape: arithmetic uses a name that no parameter has as a dim of its own");
};

template <class R, class... A, class Call>
R call_checked(FunctionName name, const void* object, FieldOf field, Call&& call, A&... args) {
  Scope scope(name, object, field);
  int argument = 0;
  (add(scope, args, Where{.argument = ++argument}), ...);
  if constexpr (is_annotated<R>) {
    scope.check(false);
    R result = call();
    add(scope, result, Where{});
    scope.check(true);
    return result;
  } else {
    scope.check(true);
    return call();
  }
}

template <class R, class... A>
struct CheckedCall {
  template <class Object, class Call>
  static R run(FunctionName name, const Object* object, Call&& call, A&... args) {
    if constexpr (KD_TYPING && Signature<R, A...>::specs.size() > 0) {
      FieldOf field = nullptr;
      if constexpr (Signature<R, A...>::uses_fields && konfig::Record<Object>) {
        field = field_of<Object>;
      }
      if (enabled()) return call_checked<R>(name, object, field, std::forward<Call>(call), args...);
    }
    return std::forward<Call>(call)();
  }
};

}  // namespace detail
}  // namespace kd::typing
