// Structured bindings for 1 to 64 fields: C++20 has no packs in them, so the list is written out.
// One specialisation per count keeps the choice free for the compiler.
#pragma once

#include <cstddef>

namespace konfig::detail {

template <std::size_t N>
struct Bind;

template <>
struct Bind<0> {
  template <class T, class F>
  static constexpr decltype(auto) visit(T&, F& f) {
    return f();
  }
  template <class T>
  static constexpr bool accepts_empty_braces = true;
};

// accepts_empty_braces: `{}` initialises a whole field, also a C array, while other initialisers
// fill the elements of an array one by one. So it is false when the count went wrong that way.
#define KONFIG_STRIP(...) __VA_ARGS__
#define KONFIG_BIND(n, names, empty)                        \
  template <>                                               \
  struct Bind<n> {                                          \
    template <class T, class F>                             \
    static constexpr decltype(auto) visit(T& t, F& f) {     \
      auto& [KONFIG_STRIP names] = t;                       \
      return f(KONFIG_STRIP names);                         \
    }                                                       \
    template <class T>                                      \
    static constexpr bool accepts_empty_braces = requires { \
      T{KONFIG_STRIP empty};                                \
    };                                                      \
  };
// clang-format off
KONFIG_BIND(1, (a0), ({}))
KONFIG_BIND(2, (a0, a1), ({}, {}))
KONFIG_BIND(3, (a0, a1, a2), ({}, {}, {}))
KONFIG_BIND(4, (a0, a1, a2, a3), ({}, {}, {}, {}))
KONFIG_BIND(5, (a0, a1, a2, a3, a4), ({}, {}, {}, {}, {}))
KONFIG_BIND(6, (a0, a1, a2, a3, a4, a5), ({}, {}, {}, {}, {}, {}))
KONFIG_BIND(7, (a0, a1, a2, a3, a4, a5, a6), ({}, {}, {}, {}, {}, {}, {}))
KONFIG_BIND(8, (a0, a1, a2, a3, a4, a5, a6, a7), ({}, {}, {}, {}, {}, {}, {}, {}))
#define KONFIG_N1 a0, a1, a2, a3, a4, a5, a6, a7
#define KONFIG_E1 {}, {}, {}, {}, {}, {}, {}, {}
KONFIG_BIND(9, (KONFIG_N1, b0), (KONFIG_E1, {}))
KONFIG_BIND(10, (KONFIG_N1, b0, b1), (KONFIG_E1, {}, {}))
KONFIG_BIND(11, (KONFIG_N1, b0, b1, b2), (KONFIG_E1, {}, {}, {}))
KONFIG_BIND(12, (KONFIG_N1, b0, b1, b2, b3), (KONFIG_E1, {}, {}, {}, {}))
KONFIG_BIND(13, (KONFIG_N1, b0, b1, b2, b3, b4), (KONFIG_E1, {}, {}, {}, {}, {}))
KONFIG_BIND(14, (KONFIG_N1, b0, b1, b2, b3, b4, b5), (KONFIG_E1, {}, {}, {}, {}, {}, {}))
KONFIG_BIND(15, (KONFIG_N1, b0, b1, b2, b3, b4, b5, b6), (KONFIG_E1, {}, {}, {}, {}, {}, {}, {}))
KONFIG_BIND(16, (KONFIG_N1, b0, b1, b2, b3, b4, b5, b6, b7), (KONFIG_E1, {}, {}, {}, {}, {}, {}, {}, {}))
#define KONFIG_N2 KONFIG_N1, b0, b1, b2, b3, b4, b5, b6, b7
#define KONFIG_E2 KONFIG_E1, {}, {}, {}, {}, {}, {}, {}, {}
KONFIG_BIND(17, (KONFIG_N2, c0), (KONFIG_E2, {}))
KONFIG_BIND(18, (KONFIG_N2, c0, c1), (KONFIG_E2, {}, {}))
KONFIG_BIND(19, (KONFIG_N2, c0, c1, c2), (KONFIG_E2, {}, {}, {}))
KONFIG_BIND(20, (KONFIG_N2, c0, c1, c2, c3), (KONFIG_E2, {}, {}, {}, {}))
KONFIG_BIND(21, (KONFIG_N2, c0, c1, c2, c3, c4), (KONFIG_E2, {}, {}, {}, {}, {}))
KONFIG_BIND(22, (KONFIG_N2, c0, c1, c2, c3, c4, c5), (KONFIG_E2, {}, {}, {}, {}, {}, {}))
KONFIG_BIND(23, (KONFIG_N2, c0, c1, c2, c3, c4, c5, c6), (KONFIG_E2, {}, {}, {}, {}, {}, {}, {}))
KONFIG_BIND(24, (KONFIG_N2, c0, c1, c2, c3, c4, c5, c6, c7), (KONFIG_E2, {}, {}, {}, {}, {}, {}, {}, {}))
#define KONFIG_N3 KONFIG_N2, c0, c1, c2, c3, c4, c5, c6, c7
#define KONFIG_E3 KONFIG_E2, {}, {}, {}, {}, {}, {}, {}, {}
KONFIG_BIND(25, (KONFIG_N3, d0), (KONFIG_E3, {}))
KONFIG_BIND(26, (KONFIG_N3, d0, d1), (KONFIG_E3, {}, {}))
KONFIG_BIND(27, (KONFIG_N3, d0, d1, d2), (KONFIG_E3, {}, {}, {}))
KONFIG_BIND(28, (KONFIG_N3, d0, d1, d2, d3), (KONFIG_E3, {}, {}, {}, {}))
KONFIG_BIND(29, (KONFIG_N3, d0, d1, d2, d3, d4), (KONFIG_E3, {}, {}, {}, {}, {}))
KONFIG_BIND(30, (KONFIG_N3, d0, d1, d2, d3, d4, d5), (KONFIG_E3, {}, {}, {}, {}, {}, {}))
KONFIG_BIND(31, (KONFIG_N3, d0, d1, d2, d3, d4, d5, d6), (KONFIG_E3, {}, {}, {}, {}, {}, {}, {}))
KONFIG_BIND(32, (KONFIG_N3, d0, d1, d2, d3, d4, d5, d6, d7), (KONFIG_E3, {}, {}, {}, {}, {}, {}, {}, {}))
#define KONFIG_N4 KONFIG_N3, d0, d1, d2, d3, d4, d5, d6, d7
#define KONFIG_E4 KONFIG_E3, {}, {}, {}, {}, {}, {}, {}, {}
KONFIG_BIND(33, (KONFIG_N4, e0), (KONFIG_E4, {}))
KONFIG_BIND(34, (KONFIG_N4, e0, e1), (KONFIG_E4, {}, {}))
KONFIG_BIND(35, (KONFIG_N4, e0, e1, e2), (KONFIG_E4, {}, {}, {}))
KONFIG_BIND(36, (KONFIG_N4, e0, e1, e2, e3), (KONFIG_E4, {}, {}, {}, {}))
KONFIG_BIND(37, (KONFIG_N4, e0, e1, e2, e3, e4), (KONFIG_E4, {}, {}, {}, {}, {}))
KONFIG_BIND(38, (KONFIG_N4, e0, e1, e2, e3, e4, e5), (KONFIG_E4, {}, {}, {}, {}, {}, {}))
KONFIG_BIND(39, (KONFIG_N4, e0, e1, e2, e3, e4, e5, e6), (KONFIG_E4, {}, {}, {}, {}, {}, {}, {}))
KONFIG_BIND(40, (KONFIG_N4, e0, e1, e2, e3, e4, e5, e6, e7), (KONFIG_E4, {}, {}, {}, {}, {}, {}, {}, {}))
#define KONFIG_N5 KONFIG_N4, e0, e1, e2, e3, e4, e5, e6, e7
#define KONFIG_E5 KONFIG_E4, {}, {}, {}, {}, {}, {}, {}, {}
KONFIG_BIND(41, (KONFIG_N5, f0), (KONFIG_E5, {}))
KONFIG_BIND(42, (KONFIG_N5, f0, f1), (KONFIG_E5, {}, {}))
KONFIG_BIND(43, (KONFIG_N5, f0, f1, f2), (KONFIG_E5, {}, {}, {}))
KONFIG_BIND(44, (KONFIG_N5, f0, f1, f2, f3), (KONFIG_E5, {}, {}, {}, {}))
KONFIG_BIND(45, (KONFIG_N5, f0, f1, f2, f3, f4), (KONFIG_E5, {}, {}, {}, {}, {}))
KONFIG_BIND(46, (KONFIG_N5, f0, f1, f2, f3, f4, f5), (KONFIG_E5, {}, {}, {}, {}, {}, {}))
KONFIG_BIND(47, (KONFIG_N5, f0, f1, f2, f3, f4, f5, f6), (KONFIG_E5, {}, {}, {}, {}, {}, {}, {}))
KONFIG_BIND(48, (KONFIG_N5, f0, f1, f2, f3, f4, f5, f6, f7), (KONFIG_E5, {}, {}, {}, {}, {}, {}, {}, {}))
#define KONFIG_N6 KONFIG_N5, f0, f1, f2, f3, f4, f5, f6, f7
#define KONFIG_E6 KONFIG_E5, {}, {}, {}, {}, {}, {}, {}, {}
KONFIG_BIND(49, (KONFIG_N6, g0), (KONFIG_E6, {}))
KONFIG_BIND(50, (KONFIG_N6, g0, g1), (KONFIG_E6, {}, {}))
KONFIG_BIND(51, (KONFIG_N6, g0, g1, g2), (KONFIG_E6, {}, {}, {}))
KONFIG_BIND(52, (KONFIG_N6, g0, g1, g2, g3), (KONFIG_E6, {}, {}, {}, {}))
KONFIG_BIND(53, (KONFIG_N6, g0, g1, g2, g3, g4), (KONFIG_E6, {}, {}, {}, {}, {}))
KONFIG_BIND(54, (KONFIG_N6, g0, g1, g2, g3, g4, g5), (KONFIG_E6, {}, {}, {}, {}, {}, {}))
KONFIG_BIND(55, (KONFIG_N6, g0, g1, g2, g3, g4, g5, g6), (KONFIG_E6, {}, {}, {}, {}, {}, {}, {}))
KONFIG_BIND(56, (KONFIG_N6, g0, g1, g2, g3, g4, g5, g6, g7), (KONFIG_E6, {}, {}, {}, {}, {}, {}, {}, {}))
#define KONFIG_N7 KONFIG_N6, g0, g1, g2, g3, g4, g5, g6, g7
#define KONFIG_E7 KONFIG_E6, {}, {}, {}, {}, {}, {}, {}, {}
KONFIG_BIND(57, (KONFIG_N7, h0), (KONFIG_E7, {}))
KONFIG_BIND(58, (KONFIG_N7, h0, h1), (KONFIG_E7, {}, {}))
KONFIG_BIND(59, (KONFIG_N7, h0, h1, h2), (KONFIG_E7, {}, {}, {}))
KONFIG_BIND(60, (KONFIG_N7, h0, h1, h2, h3), (KONFIG_E7, {}, {}, {}, {}))
KONFIG_BIND(61, (KONFIG_N7, h0, h1, h2, h3, h4), (KONFIG_E7, {}, {}, {}, {}, {}))
KONFIG_BIND(62, (KONFIG_N7, h0, h1, h2, h3, h4, h5), (KONFIG_E7, {}, {}, {}, {}, {}, {}))
KONFIG_BIND(63, (KONFIG_N7, h0, h1, h2, h3, h4, h5, h6), (KONFIG_E7, {}, {}, {}, {}, {}, {}, {}))
KONFIG_BIND(64, (KONFIG_N7, h0, h1, h2, h3, h4, h5, h6, h7), (KONFIG_E7, {}, {}, {}, {}, {}, {}, {}, {}))
// clang-format on
#undef KONFIG_N1
#undef KONFIG_E1
#undef KONFIG_N2
#undef KONFIG_E2
#undef KONFIG_N3
#undef KONFIG_E3
#undef KONFIG_N4
#undef KONFIG_E4
#undef KONFIG_N5
#undef KONFIG_E5
#undef KONFIG_N6
#undef KONFIG_E6
#undef KONFIG_N7
#undef KONFIG_E7
#undef KONFIG_BIND
#undef KONFIG_STRIP

}  // namespace konfig::detail
