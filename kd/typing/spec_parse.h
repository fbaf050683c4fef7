// The parser of shapes. Included by kd/typing/spec.h.
#pragma once

#include "kd/typing/spec.h"
#include "kd/typing/spec_names.h"

namespace kd::typing {

namespace detail {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }

// Recursive descent. After a problem every step returns at once.
struct SpecParser {
  Spec spec;
  std::size_t at = 0;
  int brackets = 0;  // spaces mean nothing within them
  int braces = 0;

  constexpr bool ok() const { return spec.problem == Problem::none; }
  constexpr void fail(Problem problem) {
    if (ok()) spec.problem = problem;
  }
  constexpr char peek(std::size_t ahead = 0) const {
    return at + ahead < spec.text.size() ? spec.text[at + ahead] : '\0';
  }
  constexpr void skip_spaces() {
    while (is_space(peek())) ++at;
  }
  constexpr bool take(std::string_view token) {
    if (brackets > 0) skip_spaces();
    if (!spec.text.substr(at).starts_with(token)) return false;
    at += token.size();
    return true;
  }
  constexpr Range range(std::size_t begin) const {
    return {static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(at - begin)};
  }
  constexpr Range take_name() {
    std::size_t begin = at;
    while (is_letter(peek()) || (at > begin && is_digit(peek()))) ++at;
    return range(begin);
  }
  constexpr void emit(Op op, Range name = {}, std::int64_t number = 0) {
    if (spec.steps == spec.step.size()) return fail(Problem::length);
    spec.step[spec.steps++] = {op, name, number};
  }

  constexpr void parse_all() {
    if (spec.text.size() > 1000) return fail(Problem::length);
    for (skip_spaces(); ok() && at < spec.text.size(); skip_spaces()) {
      if (spec.dims == spec.dim.size()) return fail(Problem::length);
      Dim& dim = spec.dim[spec.dims++];
      std::size_t begin = at;
      parse_dim(dim);
      dim.text = range(begin);
      if (ok() && peek() && !is_space(peek())) fail(unexpected());
    }
  }
  constexpr Problem unexpected() const {
    if (peek() == ')' || peek() == '}') return Problem::bracket;
    return peek() == '?' || peek() == '#' ? (peek() == '?' ? Problem::optional : Problem::broadcast)
                                          : Problem::character;
  }

  constexpr void parse_dim(Dim& dim) {
    if (take("...")) {
      dim.many = dim.unchecked = true;
      return;
    }
    while (peek() == '*' || peek() == '+' || peek() == '#') {
      if (peek() == '#') {
        dim.broadcast = true;
      } else {
        dim.many = true;
        dim.at_least_one = peek() == '+';
      }
      ++at;
    }
    dim.first = spec.steps;
    if (dim.broadcast && !dim.many && is_digit(peek())) {  // #3: 3 or 1
      parse_number(), emit(Op::either), emit(Op::number, {}, 1);
      dim.broadcast = false;
      if (peek() == '?') fail(Problem::optional);
    } else if (dim.many || dim.broadcast || peek() == '_') {
      dim.name = take_name();
      const std::string_view name = spec.of(dim.name);
      dim.unchecked = name.starts_with('_');
      if (dim.name.size == 0) fail(dim.many ? Problem::operand : Problem::broadcast);
      if (dim.unchecked) {
        if (name.size() > 1 && (is_digit(name[1]) || name[1] == '_')) fail(Problem::character);
        if (dim.broadcast) fail(Problem::broadcast);  // there is no size to compare with
        dim.name = {};
        if (std::string_view("+-*/%|").find(peek()) != std::string_view::npos)
          fail(Problem::unnamed);
      }
      if (dim.many && peek() == '?') fail(Problem::optional);
    } else {
      parse_sum();
      while (ok() && take("|")) emit(Op::either), parse_sum();
      bool lone = spec.steps == dim.first + 1;
      if (ok() && lone && spec.step[dim.first].op == Op::name) {
        dim.name = spec.step[dim.first].name;
        spec.steps = dim.first;
      }
      if (!lone && peek() == '?') fail(Problem::optional);
    }
    if (dim.broadcast && !is_space(peek()) && peek()) fail(Problem::broadcast);
    dim.optional = ok() && take("?");
    dim.steps = static_cast<std::uint8_t>(spec.steps - dim.first);
  }

  constexpr void parse_sum() {
    parse_product();
    while (ok()) {
      if (take("+")) {
        parse_product(), emit(Op::add);
      } else if (take("-")) {
        parse_product(), emit(Op::subtract);
      } else {
        return;
      }
    }
  }
  constexpr void parse_product() {
    parse_power();
    while (ok()) {
      if (take("//")) {
        parse_power(), emit(Op::floor_divide);
      } else if (take("/")) {
        parse_power(), emit(Op::divide);
      } else if (take("%")) {
        parse_power(), emit(Op::modulo);
      } else if (take("*")) {
        parse_power(), emit(Op::multiply);
      } else {
        return;
      }
    }
  }
  constexpr void parse_power() {
    if (!ok()) return;
    if (take("-")) {
      parse_power(), emit(Op::negate);
      return;
    }
    parse_atom();
    if (ok() && take("**")) parse_power(), emit(Op::power);
  }
  constexpr void parse_atom() {
    if (brackets > 0) skip_spaces();
    if (is_digit(peek())) return parse_number();
    if (is_letter(peek())) return parse_name();
    if (peek() == '(') return parse_bracket(")", 0);
    if (peek() == '{') return parse_bracket("}", 1);
    if (peek() == '*' && brackets > 0) return fail(Problem::several);
    bool odd = peek() && !is_space(peek()) &&
               std::string_view("+-*/%|)}?").find(peek()) == std::string_view::npos;
    fail(odd ? unexpected() : Problem::operand);
  }
  constexpr void parse_number() {
    std::int64_t number = 0;
    while (is_digit(peek())) {
      if (number > 100'000'000'000'000) return fail(Problem::length);
      number = 10 * number + (spec.text[at++] - '0');
    }
    if (is_letter(peek())) return fail(Problem::character);
    emit(Op::number, {}, number);
  }
  constexpr void parse_name() {
    Range name = take_name();
    if (peek() == '(') return parse_function(spec.of(name));
    if (spec.of(name).starts_with('_')) return fail(Problem::unnamed);
    spec.uses_fields = spec.uses_fields || braces > 0;
    emit(braces > 0 ? Op::field : Op::name, name);
  }
  constexpr void parse_bracket(std::string_view close, int brace) {
    ++at, ++brackets, braces += brace;
    parse_sum();
    if (ok() && !take(close))
      fail(peek() && peek() != ')' && peek() != '}' ? Problem::operand : Problem::bracket);
    --brackets, braces -= brace;
  }
  constexpr void parse_function(std::string_view name) {
    Op op = name == "min"    ? Op::min
            : name == "max"  ? Op::max
            : name == "prod" ? Op::prod
            : name == "sum"  ? Op::sum
                             : Op::len;
    if (op == Op::len && name != "len") return fail(Problem::function);
    const Op joined = op == Op::prod ? Op::multiply : op == Op::min || op == Op::max ? op : Op::add;
    ++at, ++brackets;
    parse_argument(op);
    while (ok() && take(",")) parse_argument(op), emit(joined);
    if (ok() && !take(")")) fail(Problem::bracket);
    --brackets;
  }
  constexpr void parse_argument(Op function) {
    if (take("*")) {
      Range many = take_name();
      if (many.size == 0 || spec.of(many).starts_with('_')) return fail(Problem::unnamed);
      emit(Op::many, many), emit(function);
    } else if (function == Op::len) {
      fail(Problem::function);  // it counts the dims of *b
    } else {
      parse_sum();
    }
  }
};

}  // namespace detail

constexpr Spec parse(std::string_view text) {
  detail::SpecParser parser{.spec = {.text = text}};
  parser.parse_all();
  const Spec* specs[] = {&parser.spec};
  if (parser.ok() && !names_agree(specs, 1)) parser.fail(Problem::both);
  return parser.spec;
}

}  // namespace kd::typing
