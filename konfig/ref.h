// Ref<T>: a value that follows a field of a typed config, with the operators of T.
//
//   cfg[cfg.warmup] = cfg.ref(cfg.num_train_steps) / 10;     // whole numbers: floor division
//   cfg[cfg.name] = cfg.ref(cfg.seed).map([](int s) { return "run" + std::to_string(s); });
//
// It becomes a Reference (konfig/reference.h) when the config is lowered.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "konfig/load.h"
#include "konfig/lower.h"
#include "konfig/ref_expr.h"
#include "konfig/reference.h"
#include "konfig/type_traits.h"

namespace konfig {

template <class T>
class Ref {
 public:
  using value_type = T;
  explicit Ref(std::shared_ptr<const detail::RefExpr> expr) : expr_(std::move(expr)) {}

  // f(value) on every read: opaque to printing, which shows its result.
  template <class F>
  auto map(F f, std::string name = "fn") const {
    using R = std::remove_cvref_t<std::invoke_result_t<F, T>>;
    return Ref<R>(detail::function_ref(
        [f](std::span<const Value> args) {
          const R result = f(load<T>(args[0]));
          return lower_value(type_of<R>(), &result);
        },
        {expr_}, std::move(name)));
  }

  const std::shared_ptr<const detail::RefExpr>& expr() const { return expr_; }

 private:
  std::shared_ptr<const detail::RefExpr> expr_;
};

namespace detail {

template <class A>
inline constexpr bool is_ref = false;
template <class T>
inline constexpr bool is_ref<Ref<T>> = true;

template <class A>
struct OperandOf {
  using type = A;
};
template <class T>
struct OperandOf<Ref<T>> {
  using type = T;
};
template <class A>
using Operand = typename OperandOf<std::decay_t<A>>::type;

// Numbers and text combine; one side at least is a reference.
template <class A>
concept PlainOperand =
    std::is_arithmetic_v<Operand<A>> || std::convertible_to<Operand<A>, std::string>;
template <class A, class B>
concept RefPair =
    (is_ref<std::decay_t<A>> || is_ref<std::decay_t<B>>)&&PlainOperand<A>&& PlainOperand<
        B>&& std::is_arithmetic_v<Operand<A>> == std::is_arithmetic_v<Operand<B>>;
template <class A, class B>
concept NumberPair = RefPair<A, B> && std::is_arithmetic_v<Operand<A>>;
template <class A, class B>
concept WholePair =
    NumberPair<A, B> && std::is_integral_v<Operand<A>> && std::is_integral_v<Operand<B>>;

template <class A>
std::shared_ptr<const RefExpr> expr_of(const A& operand) {
  if constexpr (is_ref<A>) {
    return operand.expr();
  } else {
    return constant_ref(Value(operand));
  }
}
template <class R, class A, class B>
Ref<R> combine(Op op, const A& a, const B& b) {
  return Ref<R>(binary_ref(op, expr_of(a), expr_of(b)));
}

template <class A, class B>
using Sum = typename std::conditional_t<std::is_arithmetic_v<Operand<A>>,
                                        std::common_type<Operand<A>, Operand<B>>,
                                        std::type_identity<std::string>>::type;

}  // namespace detail

template <class A, class B>
requires detail::RefPair<A, B>
auto operator+(const A& a, const B& b) { return detail::combine<detail::Sum<A, B>>(Op::add, a, b); }
template <class A, class B>
requires detail::NumberPair<A, B>
auto operator-(const A& a, const B& b) { return detail::combine<detail::Sum<A, B>>(Op::sub, a, b); }
template <class A, class B>
requires detail::NumberPair<A, B>
auto operator*(const A& a, const B& b) { return detail::combine<detail::Sum<A, B>>(Op::mul, a, b); }
template <class A, class B>
requires detail::NumberPair<A, B>
auto operator/(const A& a, const B& b) {
  return detail::combine<detail::Sum<A, B>>(detail::WholePair<A, B> ? Op::floordiv : Op::div, a, b);
}
template <class T, class B>
requires detail::WholePair<Ref<T>, B>
auto operator%(const Ref<T>& a, const B& b) {
  return detail::combine<detail::Sum<Ref<T>, B>>(Op::mod, a, b);
}
template <class T>
requires std::is_arithmetic_v<T> Ref<T>
operator-(const Ref<T>& a) { return detail::combine<T>(Op::sub, T(0), a); }

#define KONFIG_REF_COMPARE(symbol, name)   \
  template <class A, class B>              \
  requires detail::RefPair<A, B> Ref<bool> \
  operator symbol(const A& a, const B& b) { return detail::combine<bool>(Op::name, a, b); }
KONFIG_REF_COMPARE(==, eq)
KONFIG_REF_COMPARE(!=, ne)
KONFIG_REF_COMPARE(<, lt)
KONFIG_REF_COMPARE(<=, le)
KONFIG_REF_COMPARE(>, gt)
KONFIG_REF_COMPARE(>=, ge)
#undef KONFIG_REF_COMPARE

}  // namespace konfig
