// Python's notation of single values.
#include "konfig/scalar_text.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/join.h"
#include "konfig/registry.h"
#include "konfig/type.h"

namespace konfig {
namespace {

// The next code point of `text` and its length in bytes; -1 for a byte that starts none.
std::pair<utf8proc_int32_t, std::size_t> next(std::string_view text) {
  utf8proc_int32_t c = -1;
  auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                            static_cast<utf8proc_ssize_t>(text.size()), &c);
  if (n <= 0) return {-1, 1};
  return {c, static_cast<std::size_t>(n)};
}

// What Python shows as itself: everything but control, format, private, unassigned and separator
// characters.
bool printable(utf8proc_int32_t c) {
  if (c < 0x80) return c >= 0x20 && c < 0x7F;
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

char quote_for(std::string_view text) {
  return text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
}

// The escapes that text and bytes share; "" when `c` needs none of them.
std::string common_escape(char c, char quote) {
  if (c == '\\' || c == quote) return {'\\', c};
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  return "";
}

std::string repr_bytes(std::string_view data) {
  char quote = quote_for(data);
  std::string out{'b', quote};
  for (char c : data) {
    auto escaped = common_escape(c, quote);
    if (!escaped.empty()) {
      out += escaped;
    } else if (c >= 0x20 && c < 0x7F) {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out + quote;
}

std::string repr_set(const Set& set) {
  const std::string items = base::join(set, ", ", [](const Value& v) { return v.repr(); });
  if (set.frozen) return set.empty() ? "frozenset()" : "frozenset({" + items + "})";
  return set.empty() ? "set()" : "{" + items + "}";
}

std::string repr_slice(const Slice& s) {
  auto part = [](auto& i) { return i ? std::to_string(*i) : std::string("None"); };
  return fmt::format("slice({}, {}, {})", part(s.start), part(s.stop), part(s.step));
}

std::string repr_complex(const Complex& c) {
  auto number = [](double d) {
    auto text = repr_float(d);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
  };
  auto imag = number(c.imag) + "j";
  if (c.real == 0 && !std::signbit(c.real)) return imag;
  return "(" + number(c.real) + (imag.front() == '-' ? "" : "+") + imag + ")";
}

}  // namespace

std::string repr_text(std::string_view text) {
  char quote = quote_for(text);
  std::string out(1, quote);
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && text[plain] >= 0x20 && text[plain] < 0x7F &&
           text[plain] != quote && text[plain] != '\\') {
      ++plain;
    }
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    auto [c, n] = next(text);
    auto escaped = common_escape(text.front(), quote);
    if (!escaped.empty()) {
      out += escaped;
    } else if (c >= 0 && printable(c)) {
      out += text.substr(0, n);
    } else if (auto code =
                   c < 0 ? static_cast<unsigned char>(text.front()) : static_cast<unsigned>(c);
               code < 0x100) {
      out += fmt::format("\\x{:02x}", code);
    } else {
      out += code < 0x10000 ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
    }
    text.remove_prefix(n);
  }
  return out + quote;
}

std::string repr_float(double d) {
  if (std::isnan(d)) return "nan";
  if (std::isinf(d)) return d < 0 ? "-inf" : "inf";
  char buffer[32];
  auto size = std::abs(d);
  if (size >= 1e16 || (size < 1e-4 && size != 0)) {
    // "1e-5" as "1e-05": an exponent has two digits at least, as to_chars writes it.
    auto end = std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::scientific).ptr;
    return std::string(buffer, end);
  }
  auto end = std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::fixed).ptr;
  std::string fixed(buffer, end);
  return fixed.find('.') == fixed.npos ? fixed + ".0" : fixed;
}

std::size_t utf8_length(std::string_view text) {
  // Every byte that does not continue a character starts one.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    auto [c, n] = next(text);
    if (c < 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

std::string scalar_text(const Value& value) {
  struct {
    std::string operator()(const None&) { return "None"; }
    std::string operator()(bool b) { return b ? "True" : "False"; }
    std::string operator()(std::int64_t i) { return std::to_string(i); }
    std::string operator()(double d) { return repr_float(d); }
    std::string operator()(const std::string& s) { return repr_text(s); }
    std::string operator()(const Bytes& b) { return repr_bytes(b.data); }
    std::string operator()(const BigInt& i) { return i.digits; }
    std::string operator()(const Complex& c) { return repr_complex(c); }
    std::string operator()(const Ellipsis&) { return "..."; }
    std::string operator()(const Slice& s) { return repr_slice(s); }
    std::string operator()(const Set& s) { return repr_set(s); }
    std::string operator()(const std::filesystem::path& p) {
      return "PurePosixPath(" + repr_text(p.string()) + ")";
    }
    std::string operator()(const SymbolName& s) { return shorten_qualname(s.qualname); }
    std::string operator()(const Object& o) {
      return "<" + (o.type ? std::string(o.type->name) + " object" : "object") + ">";
    }
    std::string operator()(const List&) { return "[...]"; }
    std::string operator()(const Tuple&) { return "(...)"; }
    std::string operator()(const Dict&) { return "{...}"; }
    std::string operator()(const ConfigDict&) { return "<ConfigDict[...]>"; }
    std::string operator()(const Reference& r) { return r.repr(); }
  } visitor;
  return std::visit(visitor, value.variant());
}

}  // namespace konfig
