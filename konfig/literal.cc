// Python literals and `py::` expressions: one recursive-descent parser, two dialects.
#include "konfig/literal.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include "konfig/json.h"
#include "konfig/node.h"
#include "konfig/parse_number_impl.h"
#include "konfig/print.h"
#include "konfig/registry.h"
#include "konfig/scalar_text.h"

namespace konfig {
namespace {

// A literal is what Python's literal_eval takes. A `py::` expression has names and calls on top and
// is stricter: no text prefixes, no grouping parentheses, no sets, and '-' before numbers only.
enum class Dialect { literal, py };

struct ParseFailure {
  std::size_t at;
  std::string expected;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name(char c) { return is_name_start(c) || is_digit(c); }

void append_utf8(std::string& out, std::uint32_t code) {
  utf8proc_uint8_t buffer[4];
  auto n = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), buffer);
  out.append(reinterpret_cast<char*>(buffer), static_cast<std::size_t>(n));
}

class Parser {
 public:
  Parser(std::string_view text, Dialect dialect) : text_(text), dialect_(dialect) {}

  Value whole() {
    skip_space();
    auto v = value();
    if (dialect_ == Dialect::literal && peek() == ',') v = Tuple(rest_of_tuple(std::move(v), '\0'));
    if (at_ != text_.size()) fail("the end");
    return v;
  }

 private:
  [[noreturn]] void fail(std::string expected) const {
    throw ParseFailure{at_, std::move(expected)};
  }

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool done() const { return at_ >= text_.size(); }
  void skip_space() {
    while (!done() && std::string_view(" \t\r\n\f").find(peek()) != std::string_view::npos) ++at_;
  }
  bool eat(char c) {
    if (done() || peek() != c) return false;
    ++at_;
    skip_space();
    return true;
  }
  void expect(char c) {
    if (!eat(c)) fail(fmt::format("'{}'", c));
  }
  std::string word() {
    auto from = at_;
    while (!done() && is_name(peek())) ++at_;
    return std::string(text_.substr(from, at_ - from));
  }

  Value value() {
    detail::DepthGuard guard(depth_);
    char c = peek();
    if (c == '[') return list();
    if (c == '(') return tuple();
    if (c == '{') return dict_or_set();
    if (c == '\'' || c == '"' || has_text_prefix()) return texts();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number(false);
    if (c == '-' || (c == '+' && dialect_ == Dialect::literal)) return signed_number();
    if (c == '.' && dialect_ == Dialect::literal && text_.substr(at_, 3) == "...") {
      at_ += 3;
      skip_space();
      return Ellipsis{};
    }
    if (is_name_start(c)) return name();
    fail("a value");
  }

  // ---- Containers -------------------------------------------------------------------------------

  std::vector<Value> rest_of_tuple(Value first, char close) {
    std::vector<Value> items{std::move(first)};
    while (eat(',')) {
      if (close ? peek() == close : done()) break;
      items.push_back(value());
    }
    if (close) expect(close);
    return items;
  }

  Value list() {
    expect('[');
    if (eat(']')) return List();
    return List(rest_of_tuple(value(), ']'));
  }

  Value tuple() {
    expect('(');
    if (eat(')')) return Tuple();
    auto first = value();
    if (dialect_ == Dialect::literal && eat(')')) return first;  // grouping
    if (peek() != ',') fail("','");
    return Tuple(rest_of_tuple(std::move(first), ')'));
  }

  Value dict_or_set() {
    expect('{');
    Dict dict;
    if (eat('}')) return dict;
    auto first = value();
    if (dialect_ == Dialect::literal && peek() != ':')
      return Set(rest_of_tuple(std::move(first), '}'));
    expect(':');
    dict.set(hashable(std::move(first)), value());
    while (eat(',')) {
      if (peek() == '}') break;
      auto key = hashable(value());
      expect(':');
      dict.set(std::move(key), value());
    }
    expect('}');
    return dict;
  }

  Value hashable(Value key) const {
    if (key.is<List>() || key.is<Dict>() || key.is<Set>() || key.is<ConfigDict>()) fail("a key");
    return key;
  }

  // ---- Numbers ----------------------------------------------------------------------------------

  Value signed_number() {
    bool negative = false;
    int signs = 0;
    while (peek() == '-' || peek() == '+') {
      if (++signs > (dialect_ == Dialect::py ? 1 : kMaxDepth)) fail("a number");
      negative ^= peek() == '-';
      ++at_;
      if (dialect_ == Dialect::literal) skip_space();
    }
    if (!is_digit(peek()) && !(peek() == '.' && is_digit(peek(1)))) fail("a number");
    return number(negative);
  }

  Value number(bool negative) {
    auto result = unsigned_number(negative);
    skip_space();
    // 1 + 2j
    if (dialect_ == Dialect::literal && (peek() == '+' || peek() == '-') && !result.is<Complex>()) {
      bool minus = peek() == '-';
      ++at_;
      skip_space();
      if (!is_digit(peek()) && peek() != '.') fail("a number");
      auto imag = unsigned_number(minus);
      skip_space();
      if (!imag.is<Complex>()) fail("an imaginary number");
      auto* i = result.get_if<std::int64_t>();
      if (!i && !result.is<double>()) fail("a smaller number");
      return Complex{i ? static_cast<double>(*i) : result.as<double>(), imag.as<Complex>().imag};
    }
    return result;
  }

  // Digits with single underscores between them.
  std::string digits(std::string_view allowed) {
    std::string out;
    while (!done()) {
      char c = static_cast<char>(peek() >= 'A' && peek() <= 'Z' ? peek() + 32 : peek());
      if (allowed.find(c) != allowed.npos) {
        out += c;
      } else if (c != '_' || out.empty() ||
                 allowed.find(static_cast<char>(peek(1) | 0x20)) == allowed.npos ||
                 peek(1) == '_') {
        break;
      }
      ++at_;
    }
    return out;
  }

  Value unsigned_number(bool negative) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    if (peek() == '0') {
      char kind = static_cast<char>(peek(1) | 0x20);
      int base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 0;
      if (base) {
        at_ += 2;
        if (peek() == '_') ++at_;
        auto v = detail::parse_whole(digits(kDigits.substr(0, static_cast<std::size_t>(base))),
                                     base, negative);
        if (!v || is_name(peek())) fail("digits");
        return *v;
      }
    }
    auto decimal = kDigits.substr(0, 10);
    auto from = at_;
    std::string text = digits(decimal);
    bool real = false;
    if (peek() == '.') {
      ++at_;
      real = true;
      text += '.' + digits(decimal);
    }
    if ((peek() | 0x20) == 'e') {
      bool sign = peek(1) == '+' || peek(1) == '-';
      if (is_digit(peek(sign ? 2 : 1))) {
        text += 'e';
        if (peek(1) == '-') text += '-';
        at_ += sign ? 2 : 1;
        real = true;
        text += digits(decimal);
      }
    }
    bool imaginary = (peek() | 0x20) == 'j' && !is_name(peek(1));
    if (imaginary) ++at_;
    bool leading_zero =
        text.size() > 1 && text[0] == '0' && text.find_first_not_of('0') != text.npos;
    if (is_name(peek()) || (!real && !imaginary && leading_zero)) {
      at_ = from;
      fail("a number");
    }
    auto v = detail::parse_decimal((negative ? "-" : "") + text);
    if (!v) fail("a number");
    if (!imaginary) return *v;
    auto* i = v->get_if<std::int64_t>();
    return Complex{0, i ? static_cast<double>(*i) : v->is<double>() ? v->as<double>() : 0};
  }

  // ---- Text -------------------------------------------------------------------------------------

  bool has_text_prefix() const {
    if (dialect_ == Dialect::py) return false;
    std::size_t n = 0;
    while (n < 3 && std::string_view("bBrRuU").find(peek(n)) != std::string_view::npos && peek(n))
      ++n;
    return n > 0 && n < 3 && (peek(n) == '\'' || peek(n) == '"');
  }

  // Adjacent literals are one, as in Python.
  Value texts() {
    auto first = text_literal();
    while (dialect_ == Dialect::literal && (peek() == '\'' || peek() == '"' || has_text_prefix())) {
      auto more = text_literal();
      if (more.is<Bytes>() != first.is<Bytes>()) fail("text and bytes cannot be joined");
      if (first.is<Bytes>()) {
        first = Bytes{first.as<Bytes>().data + more.as<Bytes>().data};
      } else {
        first = first.as<std::string>() + more.as<std::string>();
      }
    }
    return first;
  }

  Value text_literal() {
    bool raw = false, bytes = false;
    for (; peek() != '\'' && peek() != '"'; ++at_) {
      raw |= (peek() | 0x20) == 'r';
      bytes |= (peek() | 0x20) == 'b';
    }
    char quote = peek();
    bool triple = peek(1) == quote && peek(2) == quote;
    if (triple && dialect_ == Dialect::py) fail("text in single quotes");
    at_ += triple ? 3 : 1;
    std::string out;
    for (;;) {
      if (done()) fail("the closing quote");
      char c = peek();
      if (c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) break;
      if (c == '\n' && !triple) fail("the closing quote");
      if (bytes && static_cast<unsigned char>(c) >= 128) fail("ASCII");
      ++at_;
      if (c != '\\') {
        out += c;
      } else if (raw) {
        out += c;
        if (!done()) out += text_[at_++];
      } else {
        escape(out, bytes);
      }
    }
    at_ += triple ? 3 : 1;
    skip_space();
    if (bytes) return Bytes{std::move(out)};
    if (!is_utf8(out)) fail("valid UTF-8");
    return out;
  }

  void escape(std::string& out, bool bytes) {
    if (done()) fail("the closing quote");
    char c = text_[at_++];
    static constexpr std::string_view kFrom = "\\'\"abfnrtv", kTo = "\\'\"\a\b\f\n\r\t\v";
    if (auto i = kFrom.find(c); i != kFrom.npos) {
      out += kTo[i];
    } else if (c == '\n') {
      return;  // a continued line
    } else if (c >= '0' && c <= '7') {
      unsigned code = static_cast<unsigned>(c - '0');
      for (int n = 0; n < 2 && peek() >= '0' && peek() <= '7'; ++n) {
        code = code * 8 + static_cast<unsigned>(text_[at_++] - '0');
      }
      add_code(out, code, bytes);
    } else if (c == 'x') {
      add_code(out, hex(2), bytes);
    } else if (!bytes && (c == 'u' || c == 'U')) {
      add_code(out, hex(c == 'u' ? 4 : 8), bytes);
    } else if (!bytes && c == 'N') {
      fail("an escape other than \\N");
    } else {
      out += '\\';
      out += c;
    }
  }

  std::uint32_t hex(int n) {
    std::uint32_t code = 0;
    for (; n > 0; --n) {
      char c = static_cast<char>(peek() | 0x20);
      if (!is_digit(peek()) && !(c >= 'a' && c <= 'f')) fail("a hexadecimal digit");
      code = code * 16 + static_cast<std::uint32_t>(is_digit(peek()) ? peek() - '0' : c - 'a' + 10);
      ++at_;
    }
    return code;
  }

  void add_code(std::string& out, std::uint32_t code, bool bytes) {
    if (bytes) {
      out += static_cast<char>(code);
    } else if (code >= 0x110000 || (code >= 0xD800 && code < 0xE000)) {
      fail("a Unicode character");
    } else {
      append_utf8(out, code);
    }
  }

  // ---- Names and calls --------------------------------------------------------------------------

  std::string dotted() {
    std::string out;
    for (;;) {
      if (!is_name_start(peek())) fail("a name");
      out += word();
      skip_space();
      if (!eat('.')) return out;
      out += '.';
    }
  }

  Value name() {
    auto from = at_;
    if (dialect_ == Dialect::literal) {
      auto w = word();
      skip_space();
      if (w == "True") return true;
      if (w == "False") return false;
      if (w == "None") return None{};
      if (w == "set" && eat('(')) {
        expect(')');
        return Set();
      }
      at_ = from;
      fail("a value");
    }
    auto text = dotted();
    if (text == "True") return true;
    if (text == "False") return false;
    if (text == "None") return None{};
    if (eat(':')) {
      text += ':' + dotted();
    } else {
      auto dot = text.rfind('.');
      if (dot == text.npos) fail("a name with its module, such as 'module.Name'");
      text[dot] = ':';
    }
    auto qualname = expand_qualname(text);
    return eat('(') ? call_node(qualname) : constant(qualname);
  }

  Value call_node(const std::string& qualname) {
    Dict node;
    node.set(kQualname, qualname);
    std::size_t num_args = 0;
    while (!eat(')')) {
      auto from = at_;
      std::string key = is_name_start(peek()) ? word() : "";
      skip_space();
      if (!key.empty() && eat('=')) {
        node.set(key, value());
      } else {
        at_ = from;
        node.set(std::to_string(num_args++), value());
      }
      if (eat(')')) break;
      expect(',');
    }
    return ConfigDict(node);
  }

  std::string_view text_;
  Dialect dialect_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Value parse(std::string_view text, Dialect dialect, std::string_view what) {
  try {
    return Parser(text, dialect).whole();
  } catch (const ParseFailure& f) {
    throw Error(ErrorKind::value, fmt::format("invalid {} {}: expected {} at position {}", what,
                                              shorten(repr_text(text), 80), f.expected, f.at));
  }
}

}  // namespace

Value parse_literal(std::string_view text) { return parse(text, Dialect::literal, "literal"); }
Value parse_py(std::string_view text) { return parse(text, Dialect::py, "py:: expression"); }

Value parse_flag_value(std::string_view text) {
  try {
    return parse_json(text);
  } catch (const Error&) {
  }
  try {
    return parse_literal(text);
  } catch (const Error&) {
  }
  return text;
}

}  // namespace konfig
