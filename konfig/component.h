// Declares in a header that a type is a component of configs. All macros stand at global scope.
//
//   // Poly<kd::Optimizer> takes an Adam; configs write "optax:adam" and read both names
//   KONFIG_COMPONENT(kd::Optimizer, kd::optim::Adam, "optax:adam", "my.optim:Adam");
//   // a type that implements no interface; without a name it is called after its namespace
//   KONFIG_TYPE(kd::train::Trainer, "kauldron.kd:train.Trainer");
//   KONFIG_TYPE(my::ns::Model);                  // "my.ns:Model"
//   // the arguments of a named constructor: cfg.model = VitVariant{}
//   KONFIG_ARGUMENTS(kd::Module, VitVariant);
//
// One source file registers what is declared here: konfig/register.h.
#pragma once

#include <string_view>

#include "konfig/poly.h"

namespace konfig::detail {

// A further interface that every component of I implements, too; "": none.
template <class I>
inline constexpr std::string_view also_interface = {};

// What KONFIG_COMPONENT or KONFIG_TYPE says of a type. `names` ends with a null pointer; the first
// one is written, none at all means the default name.
template <class T>
struct Component {
  static constexpr std::string_view interface = {};
  static constexpr std::string_view also = {};
  static constexpr const char* names[] = {nullptr};
};

}  // namespace konfig::detail

#define KONFIG_DECLARE_(I, T, ...)                                               \
  template <>                                                                    \
  [[maybe_unused]] inline constexpr bool konfig::implements<I, T> = true;        \
  template <>                                                                    \
  struct konfig::detail::Component<T> {                                          \
    static constexpr std::string_view interface = konfig::type_name<I>;          \
    static constexpr std::string_view also = konfig::detail::also_interface<I>;  \
    static constexpr const char* names[] = {__VA_ARGS__ __VA_OPT__(, ) nullptr}; \
  }
#define KONFIG_COMPONENT(I, T, ...)   \
  KONFIG_DECLARE_(I, T, __VA_ARGS__); \
  extern template const konfig::Type& konfig::type_of<T>()

#define KONFIG_TYPE(T, ...)                                                      \
  template <>                                                                    \
  struct konfig::detail::Component<T> {                                          \
    static constexpr std::string_view interface = {};                            \
    static constexpr std::string_view also = {};                                 \
    static constexpr const char* names[] = {__VA_ARGS__ __VA_OPT__(, ) nullptr}; \
  };                                                                             \
  extern template const konfig::Type& konfig::type_of<T>()

// The argument struct of a named constructor (KONFIG_FUNCTION), which stands for what it makes.
#define KONFIG_ARGUMENTS(I, T)                                            \
  template <>                                                             \
  [[maybe_unused]] inline constexpr bool konfig::implements<I, T> = true; \
  extern template const konfig::Type& konfig::type_of<T>()

// Beside an interface: whatever implements I implements J, too, in C++ and in configs.
#define KONFIG_ALSO_INTERFACE(I, J)                                                           \
  template <>                                                                                 \
  inline constexpr std::string_view konfig::detail::also_interface<I> = konfig::type_name<J>; \
  template <class T>                                                                          \
  requires konfig::implements<I, T>                                                           \
  inline constexpr bool konfig::implements<J, T> = true
