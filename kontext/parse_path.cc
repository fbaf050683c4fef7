// The path grammar (docs/kontext.md), by recursive descent over the text.
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "konfig/literal.h"
#include "kontext/name_impl.h"
#include "kontext/parse_path_impl.h"

namespace kontext {
namespace {

using konfig::BigInt;
using konfig::Complex;
using konfig::Tuple;
using konfig::Value;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Numbers, slices, `...` and None: what stands in axes without parentheses.
bool only_axes(const Value& v) {
  if (auto* tuple = v.get_if<Tuple>()) {
    for (auto& item : *tuple) {
      if (!only_axes(item)) return false;
    }
    return true;
  }
  return !v.is<bool>() && !v.is<std::string>();
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<Part> run() {
    skip_blanks();
    if (at_end()) return {};
    std::vector<Part> out;
    out.push_back(peek() == '[' ? index() : identifier("at the start"));
    for (skip_blanks(); !at_end(); skip_blanks()) {
      if (take(".")) {
        skip_blanks();
        out.push_back(identifier("after '.'"));
      } else if (peek() == '[') {
        out.push_back(index());
      } else {
        fail("expected '.', '[' or the end");
      }
    }
    return out;
  }

 private:
  // ---- Characters.
  bool at_end() const { return at_ == text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  std::string_view rest() const { return text_.substr(at_); }
  bool take(std::string_view token) {
    if (!rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  [[noreturn]] void fail_at(std::size_t offset, const std::string& message) const {
    throw ParseError(text_, offset, message);
  }
  [[noreturn]] void fail(const std::string& message) const { fail_at(at_, message); }

  // ---- name, 0, -1, *, **
  Part identifier(const char* where) {
    if (take("**")) return Part::star_star();
    if (take("*")) return Part::star();
    if (auto length = name_length(rest())) {
      at_ += length;
      return Part(text_.substr(at_ - length, length));
    }
    auto from = at_;
    bool sign = peek() == '+' || peek() == '-';
    if (!is_digit(peek(sign ? 1 : 0))) {
      fail(std::string("expected a name, a whole number, '*' or '**' ") + where);
    }
    at_ += sign ? 1 : 0;
    while (is_digit(peek())) ++at_;
    return Part(whole_number(from, 10, /*prefix=*/0));
  }

  // ---- [key]
  Part index() {
    take("[");
    Value value = key(/*in_brackets=*/true);
    skip_blanks();
    if (!take("]")) {
      if (peek() == ',' && !only_axes(value)) {
        fail(
            "only numbers, slices, '...' and None form axes; a tuple with text needs "
            "parentheses: ['a',0] is [('a',0)]");
      }
      fail("expected ']'");
    }
    return Part(std::move(value));
  }

  Value key(bool in_brackets) {
    skip_blanks();
    if (take_word("True")) return true;
    if (take_word("False")) return false;
    if (string_prefix() != npos) return string();
    if (peek() == '(') {
      if (auto number = complex_number()) return axes(std::move(*number), in_brackets);
      return tuple(in_brackets);
    }
    if (peek() == '*') fail("a wildcard stands after a dot, not in brackets: a.*");
    if (auto first = axis()) return axes(std::move(*first), in_brackets);
    fail(name_length(rest()) > 0
             ? "text in brackets needs quotes: ['name'], or write .name"
             : "expected a number, a slice, text in quotes, True, False or None");
  }

  // After the first axis: a single key, or more axes. Only brackets may hold axes.
  Value axes(Value first, bool in_brackets) {
    skip_blanks();
    if (!in_brackets || peek() != ',') {
      if (in_brackets && first.is<Ellipsis>()) fail("a lone '...' is written [...,]");
      return first;
    }
    Tuple out{std::move(first)};
    while (take(",")) {
      skip_blanks();
      if (peek() == ']') break;
      auto next = peek() == '(' ? complex_number() : axis();
      if (!next) fail("expected a number, a slice, '...' or None after ','");
      out.push_back(std::move(*next));
      skip_blanks();
    }
    return out;
  }

  std::optional<Value> axis() {
    if (take("...")) return Ellipsis{};
    if (take_word("None")) return None{};
    std::optional<Value> start;
    if (peek() != ':') {
      start = number();
      if (!start) return std::nullopt;
      auto end = at_;
      skip_blanks();
      if (peek() != ':') {
        at_ = end;
        return start;
      }
    }
    Slice slice;
    if (start) slice.start = bound(*start);
    take(":");
    slice.stop = optional_bound();
    if (take(":")) slice.step = optional_bound();
    return slice;
  }

  std::optional<std::int64_t> optional_bound() {
    skip_blanks();
    auto value = number();
    if (!value) return std::nullopt;
    auto out = bound(*value);
    skip_blanks();
    return out;
  }

  // Fractions are cut off, as in the reference.
  std::int64_t bound(const Value& value) const {
    if (auto* i = value.get_if<std::int64_t>()) return *i;
    if (auto* d = value.get_if<double>(); d && std::abs(*d) < 9.2e18) {
      return static_cast<std::int64_t>(*d);
    }
    fail("the bound of a slice is a whole number of at most 64 bits");
  }

  // (), (key,), (key, key, ...)
  Value tuple(bool in_brackets) {
    auto from = at_;
    if (++depth_ > kMaxTupleDepth) fail("tuples nest too deep");
    take("(");
    skip_blanks();
    Tuple out;
    bool comma = true;  // before the next item
    while (peek() != ')') {
      if (!comma) fail("expected ',' or ')'");
      out.push_back(key(/*in_brackets=*/false));
      skip_blanks();
      comma = take(",");
      skip_blanks();
    }
    take(")");
    --depth_;
    if (out.size() == 1 && !comma) fail_at(at_ - 1, "a tuple of one item needs a comma: (0,)");
    if (in_brackets && out.size() > 1 && only_axes(out)) {
      fail_at(from, "axes are written without parentheses: [0,1]");
    }
    return out;
  }

  // ---- Words and text.
  bool take_word(std::string_view word) {
    if (!rest().starts_with(word) || name_length(rest()) != word.size()) return false;
    at_ += word.size();
    return true;
  }

  static constexpr std::size_t npos = std::string_view::npos;

  // The length of u, r, b, br, rb or nothing before a quote; npos when no text starts here.
  std::size_t string_prefix() const {
    std::size_t n = 0;
    while (n < 2 && std::string_view("uUrRbB").find(peek(n)) != npos && peek(n) != '\0') ++n;
    if (peek(n) != '\'' && peek(n) != '"') return npos;
    auto lower = [&](std::size_t i) { return static_cast<char>(peek(i) | 0x20); };
    bool pair =
        n == 2 && ((lower(0) == 'b' && lower(1) == 'r') || (lower(0) == 'r' && lower(1) == 'b'));
    return n < 2 || pair ? n : npos;
  }

  Value string() {
    auto from = at_;
    at_ += string_prefix();
    char quote = peek();
    std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
    if (rest().starts_with(triple))
      fail_at(from, "text in a path has single quotes, not triple ones");
    ++at_;
    while (peek() != quote || at_end()) {
      if (at_end() || peek() == '\n') fail_at(from, "the text does not end");
      at_ += peek() == '\\' && at_ + 1 < text_.size() && peek(1) != '\n' ? 2 : 1;
    }
    ++at_;
    try {
      return konfig::parse_literal(text_.substr(from, at_ - from));
    } catch (const konfig::Error& e) {
      fail_at(from, "not a text literal: " + e.message());
    }
  }

  // ---- Numbers.

  // The length of 12, 1.5, .5, 1e-3 at `from`.
  std::size_t decimal_length(std::size_t from) const {
    auto digits = [&](std::size_t i) {
      while (i < text_.size() && is_digit(text_[i])) ++i;
      return i;
    };
    auto i = digits(from);
    bool some = i > from;
    if (i < text_.size() && text_[i] == '.' && !text_.substr(i).starts_with("...")) {
      auto end = digits(i + 1);
      if (!some && end == i + 1) return 0;
      some = true;
      i = end;
    }
    if (!some) return 0;
    if (i < text_.size() && (text_[i] | 0x20) == 'e') {
      auto e = i + 1;
      if (e < text_.size() && (text_[e] == '+' || text_[e] == '-')) ++e;
      if (auto end = digits(e); end > e) i = end;
    }
    return i - from;
  }

  double floating(std::size_t from, std::size_t length) const {
    double out = 0;
    auto result = std::from_chars(text_.data() + from, text_.data() + from + length, out);
    if (result.ec == std::errc::result_out_of_range) {
      // Too small is 0, as in Python; too large would be printed as `inf`, which is no number here.
      out = std::strtod(std::string(text_.substr(from, length)).c_str(), nullptr);
      if (std::isinf(out)) fail_at(from, "the number is too large");
    }
    return out;
  }

  // Digits after `prefix` characters of "0x", with an optional sign at `from`.
  Value whole_number(std::size_t from, int base, std::size_t prefix) const {
    auto token = text_.substr(from, at_ - from);
    bool negative = token.front() == '-';
    if (negative || token.front() == '+') token.remove_prefix(1);
    token.remove_prefix(prefix);
    std::uint64_t out = 0;
    auto result = std::from_chars(token.data(), token.data() + token.size(), out, base);
    constexpr auto kLargest = static_cast<std::uint64_t>(INT64_MAX);
    if (result.ec == std::errc() && out <= kLargest + (negative ? 1 : 0)) {
      return static_cast<std::int64_t>(negative ? ~out + 1 : out);
    }
    if (base != 10) fail_at(from, "the number has more than 64 bits");
    auto zeros = std::min(token.find_first_not_of('0'), token.size() - 1);
    return BigInt{(negative ? "-" : "") + std::string(token.substr(zeros))};
  }

  std::optional<Value> number() {
    auto from = at_;
    std::size_t sign = peek() == '+' || peek() == '-' ? 1 : 0;
    if (peek(sign) == '0') {
      int base = 10;
      switch (peek(sign + 1) | 0x20) {
        case 'x':
          base = 16;
          break;
        case 'o':
          base = 8;
          break;
        case 'b':
          base = 2;
          break;
        default:
          break;
      }
      if (base != 10) return based_number(from, sign, base);
    }
    auto length = decimal_length(at_ + sign);
    if (length == 0) {
      if (sign) fail("expected a number right after the sign");
      return std::nullopt;
    }
    at_ += sign + length;
    auto digits = text_.substr(from + sign, length);
    bool whole = digits.find_first_not_of("0123456789") == npos;
    bool negative = text_[from] == '-';
    if ((peek() | 0x20) == 'j') {
      ++at_;
      double imag = floating(from + sign, length);
      return negative ? Complex{-0.0, -imag} : Complex{0, imag};
    }
    if (!whole) {
      double out = floating(from + sign, length);
      return negative ? -out : out;
    }
    if (digits.front() == '0' && digits.find_first_not_of('0') != npos) {
      fail_at(from, "a whole number in brackets has no leading zeros");
    }
    return whole_number(from, 10, 0);
  }

  Value based_number(std::size_t from, std::size_t sign, int base) {
    at_ += sign + 2;
    auto digits = at_;
    auto value = [](char c) {
      if (is_digit(c)) return c - '0';
      char lower = static_cast<char>(c | 0x20);
      return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
    };
    while (!at_end() && value(peek()) < base) ++at_;
    if (at_ == digits) fail("expected a digit of base " + std::to_string(base));
    return whole_number(from, base, 2);
  }

  // (1.5-2j), without blanks; nothing is consumed if it is something else.
  std::optional<Value> complex_number() {
    auto i = at_ + 1;
    bool negative = i < text_.size() && text_[i] == '-';
    if (negative || (i < text_.size() && text_[i] == '+')) ++i;
    auto real = decimal_length(i);
    auto op = i + real;
    if (real == 0 || op >= text_.size() || (text_[op] != '+' && text_[op] != '-')) return {};
    auto imag = decimal_length(op + 1);
    auto end = op + 1 + imag;
    if (imag == 0 || end + 1 >= text_.size() || (text_[end] | 0x20) != 'j' ||
        text_[end + 1] != ')') {
      return {};
    }
    double re = floating(i, real), im = floating(op + 1, imag);
    at_ = end + 2;
    return Complex{negative ? -re : re, text_[op] == '-' ? -im : im};
  }

  static constexpr int kMaxTupleDepth = 100;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::vector<Part> parse_parts(std::string_view text) { return Parser(text).run(); }

}  // namespace kontext
