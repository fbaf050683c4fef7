// Shapes as text, "*b h w c": parsed and checked when the program is compiled. No libtorch here.
//
//  h  3  h*2  (h // 2)      a name, a number, arithmetic: + - * / // % ** min() max()
//  *b  +d  ...              any number of dims, at least one, any number without a name
//  t?  _x  3|4              may be absent; not checked; one of these
//  #c  #3  *#b              c or 1; 3 or 1; dims that broadcast to *b
//  sum(*b, h)               several dims in arithmetic: sum prod min max, and len(*b)
//  {features + 1}           arithmetic that also knows the whole-number fields of the object
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "konfig/inherit.h"

namespace kd::typing {

enum class Op : std::uint8_t {
  number,
  name,
  field,  // a name within braces: a field of the object, else a dim
  many,   // several dims, made one number by the function of the next step
  add,
  subtract,
  multiply,
  divide,  // must come out even
  floor_divide,
  modulo,
  power,
  negate,
  min,
  max,
  prod,
  sum,
  len,
  either,  // between the alternatives of 3|4
};

// A part of the spec's text.
struct Range {
  std::uint16_t begin = 0;
  std::uint16_t size = 0;
};

// One step of a postfix program.
struct Step {
  Op op = Op::number;
  Range name = {};
  std::int64_t number = 0;
};

struct Dim {
  bool many = false;          // *b, +d, ...
  bool at_least_one = false;  // +d
  bool optional = false;      // t?
  bool broadcast = false;     // #c, *#b
  bool unchecked = false;     // _x, ...
  std::uint8_t first = 0;     // its program, unless it is just a name
  std::uint8_t steps = 0;
  Range name = {};  // when it is just a name
  Range text = {};

  // The least number of axes it stands for.
  constexpr std::size_t least() const { return many ? at_least_one : !optional; }
  constexpr bool variable() const { return many || optional; }
};

enum class Problem : std::uint8_t {
  none,
  character,
  operand,
  bracket,
  function,
  optional,
  broadcast,
  unnamed,
  several,
  both,
  length,
};

struct Spec {
  std::string_view text = {};
  Problem problem = Problem::none;
  bool uses_fields = false;
  std::uint8_t dims = 0;
  std::uint8_t steps = 0;
  std::array<Dim, 16> dim = {};
  std::array<Step, 48> step = {};

  constexpr std::string_view of(Range range) const { return text.substr(range.begin, range.size); }
};

// Never fails: `problem` says what is wrong.
constexpr Spec parse(std::string_view text);
// Whether every name in arithmetic is bound by one of the specs, and as one dim or several
// throughout: what can be wrong between the parameters of a function.
constexpr bool arithmetic_is_bound(const Spec* const* specs, std::size_t count);
constexpr bool names_agree(const Spec* const* specs, std::size_t count);

template <konfig::FixedText S>
struct SpecOf {
  static constexpr Spec value = parse(S.view());
  static constexpr Problem p = value.problem;
  static constexpr bool checked = true;  // naming it makes the compiler look at the lines below
  static_assert(p != Problem::character,
                "shape: dims are names, numbers, arithmetic, *b +d t? _x #c 3|4 and ...; a letter "
                "follows the _");
  static_assert(p != Problem::operand,
                "shape: a name or number is missing beside an operator; arithmetic with spaces "
                "needs brackets");
  static_assert(p != Problem::bracket, "shape: a bracket is not closed");
  static_assert(p != Problem::function,
                "shape: the functions are min, max, prod and sum of dims and *dims, and len(*b)");
  static_assert(p != Problem::optional, "shape: only a name, a number or _ can be optional");
  static_assert(p != Problem::broadcast,
                "shape: # stands before a number or a name that does not start with _");
  static_assert(p != Problem::unnamed,
                "shape: a name that starts with _ is not checked, so arithmetic cannot use it");
  static_assert(p != Problem::several,
                "shape: arithmetic takes several dims as prod(*b), sum(*b) or len(*b)");
  static_assert(p != Problem::both,
                "shape: a name stands for one dim in one place and for several in another");
  static_assert(p != Problem::length, "shape: at most 16 dims and 48 names, numbers and operators");
};

template <konfig::FixedText S>
inline constexpr const Spec& spec_of = SpecOf<S>::value;

}  // namespace kd::typing

#include "kd/typing/spec_parse.h"  // IWYU pragma: export
