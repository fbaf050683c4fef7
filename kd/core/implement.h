// How the engine finds what a component does. A config holds only a struct, `Poly<Loss>`; the
// functions behind it are looked up by its type.
//
//   // shape.h, once per interface: the table of functions, and how it is made for a struct
//   class Shape;
//   struct ShapeOps { double (*area)(const void* shape); };
//   template <>
//   struct kd::Implement<Shape> {
//     using Ops = ShapeOps;
//     template <class T>
//     static constexpr Ops ops = {...};
//   };
//   // square.cc: a struct that is registered already
//   KD_IMPLEMENT(Shape, Square);
//   // a user's own: registers the struct for configs, too
//   KD_COMPONENT(Shape, Disc);
//
//   ops_of<Shape>(poly).area(poly.object().get());
#pragma once

#include <string_view>

#include "konfig/poly.h"
#include "konfig/register.h"

namespace kd {

template <class Interface>
struct Implement;

namespace detail {
bool implement(std::string_view interface, std::string_view type, const void* ops);
// An Error when the type was never implemented, or the Poly is empty.
const void* find_ops(std::string_view interface, const konfig::PolyBase& component);
bool is_implemented(std::string_view interface, std::string_view type);
template <class I>
bool is_implemented(std::string_view type) {
  return is_implemented(konfig::type_name<I>, type);
}

template <class I, class T>
bool implement() {
  return implement(konfig::type_name<I>, konfig::type_name<T>, &Implement<I>::template ops<T>);
}
}  // namespace detail

template <class I>
const typename Implement<I>::Ops& ops_of(const konfig::Poly<I>& component) {
  return *static_cast<const typename Implement<I>::Ops*>(
      detail::find_ops(konfig::type_name<I>, component));
}

}  // namespace kd

#define KD_IMPLEMENT(I, ...) KONFIG_RUN(kd::detail::implement<I, __VA_ARGS__>())
#define KD_COMPONENT(I, T, ...)              \
  KONFIG_LOCAL_COMPONENT(I, T, __VA_ARGS__); \
  KD_IMPLEMENT(I, T)
// In a header, for a component of another interface that implements I, too.
#define KD_ALSO_IMPLEMENTS(I, T) static_assert(true)
