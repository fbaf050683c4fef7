// Calls with their annotated parameters and result checked; a name is one size throughout a call.
//
//   Float<"*b n"> logits(Float<"*b h w c"> image, std::optional<Bool<"*b">> mask);
//   checked<logits>(image, mask);                     // a function
//   checked<&Mlp::call>(mlp, image);                  // a member: the object first
//   kontext::call_with_keys(context, loss, checked_member<&L2::values>(loss));
//   auto f = checked_function("f", [](Float<"n"> x) -> Float<"n"> { return 2 * x; });
//   checked_values(x, y);                             // within a function: by the dims of its call
//   return at::zeros(shape<"*b h*2">());              // within a function: sizes of its call
//
// Off, by set_enabled(false), they cost one branch; with KD_TYPING=0 defined, nothing.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "kd/typing/call.h"
#include "kd/typing/typing_fwd.h"

namespace kd::typing {

namespace detail {

struct NoObject {};

// The innermost call under way; an Error, about the spec that needs it, when none is checked.
const Scope& scope_of_shape(std::string_view spec);

template <auto F, class Type = decltype(F)>
struct Checked;
template <auto F, class R, class... A>
struct Checked<F, R (*)(A...)> {
  R operator()(A... args) const {
    return CheckedCall<R, A...>::run(
        function_name<F>, static_cast<const NoObject*>(nullptr),
        [&]() -> R { return F(std::forward<A>(args)...); }, args...);
  }
};
template <auto F, class R, class T, class... A>
struct Checked<F, R (T::*)(A...) const> {
  R operator()(const T& object, A... args) const {
    return CheckedCall<R, A...>::run(
        function_name<F>, &object, [&]() -> R { return (object.*F)(std::forward<A>(args)...); },
        args...);
  }
};
template <auto F, class R, class T, class... A>
struct Checked<F, R (T::*)(A...)> {
  R operator()(T& object, A... args) const {
    return CheckedCall<R, A...>::run(
        function_name<F>, &object, [&]() -> R { return (object.*F)(std::forward<A>(args)...); },
        args...);
  }
};

template <auto F, class Type = decltype(F)>
struct CheckedMember;
template <auto F, class R, class T, class... A>
struct CheckedMember<F, R (T::*)(A...) const> {
  const T& object;
  R operator()(A... args) const { return Checked<F>()(object, std::forward<A>(args)...); }
};

template <class F, class Type = decltype(&F::operator())>
struct CheckedFunction;
template <class F, class R, class... A>
struct CheckedFunction<F, R (F::*)(A...) const> {
  std::string_view name;
  F function;
  R operator()(A... args) const {
    return CheckedCall<R, A...>::run(
        FunctionName{name}, static_cast<const NoObject*>(nullptr),
        [&]() -> R { return function(std::forward<A>(args)...); }, args...);
  }
};

}  // namespace detail

// The function, or member function, with checks around each call.
template <auto F>
inline constexpr detail::Checked<F> checked = {};

template <auto F, class T, class... A>
decltype(auto) call_checked(const T& object, A&&... args) {
  return checked<F>(object, std::forward<A>(args)...);
}

// A member function of one object, which must live on. It takes exactly what the member takes.
template <auto F, class T>
auto checked_member(const T& object) {
  return detail::CheckedMember<F>{object};
}

// Any function object that is no template; `name`, which must live on, is for messages.
template <class F>
auto checked_function(std::string_view name, F function) {
  return detail::CheckedFunction<F>{name, std::move(function)};
}

// Checks annotated values within a function, against the dims of the innermost checked call; on
// their own when there is none.
template <class... T>
void checked_values(const T&... values) {
  if (!enabled()) return;
  auto add_all = [&](Scope& scope) {
    (detail::add(scope, values, Where{.argument = kBodyValue}), ...);
  };
  if (Scope* scope = Scope::current()) return scope->check_body(add_all);
  Scope scope({"values"}, nullptr, nullptr);
  add_all(scope);
  scope.check(true);
}

// The sizes of a spec in the innermost checked call: `shape<"*b h*2">()`. An Error where a dim has
// none, or nothing is checked.
template <konfig::FixedText S>
std::vector<std::int64_t> shape() {
  static_assert(SpecOf<S>::checked);
  return detail::scope_of_shape(S.view()).shape(spec_of<S>);
}

}  // namespace kd::typing
