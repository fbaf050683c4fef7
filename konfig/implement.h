// Interfaces whose functions are found at run time, by the type a Poly holds.
//
//   // shape.h, once per interface: the table of functions, and how it is made for a struct
//   class Shape {
//    public:
//     struct Ops { double (*area)(const void* shape); };
//     template <class T>
//     static constexpr Ops ops = {[](const void* s) { return static_cast<const T*>(s)->area(); }};
//   };
//   // a component: one struct with the member function, and one line
//   KONFIG_LOCAL_COMPONENT(Shape, Disc);
//   KONFIG_IMPLEMENT(Shape, Disc);
//
//   ops_of(poly).area(poly.object().get());
#pragma once

#include <string_view>

#include "konfig/poly.h"
#include "konfig/register.h"

namespace konfig {

namespace detail {
bool implement(std::string_view interface, std::string_view type, const void* ops);
// An Error when the type was never implemented, or the Poly is empty.
const void* find_ops(std::string_view interface, const PolyBase& component);
// nullptr when nothing that was loaded implements the type so.
const void* try_find_ops(std::string_view interface, std::string_view type);
}  // namespace detail

template <class I>
const typename I::Ops& ops_of(const Poly<I>& component) {
  return *static_cast<const typename I::Ops*>(detail::find_ops(type_name<I>, component));
}

}  // namespace konfig

#define KONFIG_IMPLEMENT(I, ...)                                                             \
  KONFIG_RUN(konfig::detail::implement(konfig::type_name<I>, konfig::type_name<__VA_ARGS__>, \
                                       &I::ops<__VA_ARGS__>))
