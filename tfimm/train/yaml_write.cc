// YAML as PyYAML writes it.
#include <fmt/format.h>
#include <utf8proc.h>

#include <cmath>
#include <vector>

#include "konfig/error.h"
#include "konfig/node.h"
#include "konfig/print.h"
#include "konfig/scalar_text.h"
#include "tfimm/train/yaml_scalar_impl.h"
#include "tfimm/train/yaml_write_impl.h"

namespace tfimm::train::detail {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

constexpr int kWidth = 80;
constexpr int kIndent = 2;

using Letters = std::vector<std::int32_t>;  // code points

Letters letters_of(const std::string& text) {
  if (!konfig::is_utf8(text)) {
    throw Error(ErrorKind::value, "text that is not UTF-8 has no form in YAML: " +
                                      konfig::shorten(konfig::repr_text(text), 40));
  }
  Letters out;
  auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (auto left = static_cast<utf8proc_ssize_t>(text.size()); left > 0;) {
    std::int32_t letter = 0;
    const auto n = utf8proc_iterate(at, left, &letter);
    out.push_back(letter);
    at += n, left -= n;
  }
  return out;
}

bool is_break(std::int32_t c) { return c == '\n' || c == 0x85 || c == 0x2028 || c == 0x2029; }
bool is_space(std::int32_t c) {
  return c == 0 || c == ' ' || c == '\t' || c == '\r' || is_break(c);
}
bool is_in(std::int32_t c, std::string_view set) {
  return c > 0 && c < 128 && set.find(static_cast<char>(c)) != set.npos;
}

// How a text may be written in block style.
struct Analysis {
  bool multiline = false, plain = true, single_quoted = true;
};

Analysis analyze(const Letters& text) {
  Analysis out;
  if (text.empty()) return out;
  bool indicators = false, special = false, break_space = false, space_break = false;
  auto starts = [&](char c) {
    return text.size() >= 3 && text[0] == c && text[1] == c && text[2] == c;
  };
  indicators = starts('-') || starts('.');
  bool after_space = true, previous_space = false, previous_break = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::int32_t c = text[i];
    const bool before_space = i + 1 >= text.size() || is_space(text[i + 1]);
    if (i == 0) {
      indicators |= is_in(c, "#,[]{}&*!|>'\"%@`") || (is_in(c, "?:-") && before_space);
    } else {
      indicators |= (c == ':' && before_space) || (c == '#' && after_space);
    }
    out.multiline |= is_break(c);
    special |= c != '\n' && (c < 0x20 || c > 0x7E);
    break_space |= c == ' ' && previous_break;
    space_break |= is_break(c) && previous_space;
    previous_space = c == ' ';
    previous_break = is_break(c);
    after_space = is_space(c);
  }
  const auto at_edge = [](std::int32_t c) { return c == ' ' || is_break(c); };
  out.single_quoted = !break_space && !space_break && !special;
  out.plain = out.single_quoted && !out.multiline && !indicators && !at_edge(text.front()) &&
              !at_edge(text.back());
  return out;
}

class Writer {
 public:
  std::string text(const Value& root) {
    node(root, /*in_map=*/false);
    if (column_ > 0) line_break();
    return std::move(out_);
  }

 private:
  // ---- Layout: PyYAML's emitter, reduced to what block style needs.

  void put(std::string_view text) {
    out_ += text;
    column_ += static_cast<int>(text.size());
  }
  void line_break() {
    out_ += '\n';
    column_ = 0;
    whitespace_ = indention_ = true;
  }
  void write_indent() {
    if (!indention_ || column_ > indent_ || (column_ == indent_ && !whitespace_)) line_break();
    if (column_ < indent_) {
      whitespace_ = true;
      put(std::string(static_cast<std::size_t>(indent_ - column_), ' '));
    }
  }
  void indicator(std::string_view text, bool need_space, bool indention = false) {
    if (!whitespace_ && need_space) put(" ");
    put(text);
    whitespace_ = false;
    indention_ = indention_ && indention;
  }

  // ---- Nodes.

  void node(const Value& value, bool in_map) {
    konfig::detail::DepthGuard guard(depth_);
    if (auto* map = value.get_if<Dict>()) return this->map(*map);
    if (auto* list = value.get_if<konfig::List>()) return items(*list, in_map);
    if (auto* tuple = value.get_if<konfig::Tuple>()) {
      indicator("!!python/tuple", true);
      return items(*tuple, in_map);
    }
    // What a long line goes on with is indented further.
    indent_ += kIndent;
    scalar(value, /*is_key=*/false);
    indent_ -= kIndent;
  }

  void map(const Dict& map) {
    if (map.size() == 0) {
      indicator("{}", true);
      return;
    }
    const int outer = indent_;
    indent_ = root_ ? 0 : indent_ + kIndent;
    root_ = false;
    for (auto& [key, value] : map) {
      write_indent();
      if (is_simple(key)) {
        scalar(key, /*is_key=*/true);
        indicator(":", false);
      } else {
        indicator("?", true, true);
        node(key, true);
        write_indent();
        indicator(":", true, true);
      }
      node(value, /*in_map=*/true);
    }
    indent_ = outer;
  }

  void items(const konfig::Sequence& items, bool in_map) {
    if (items.empty()) {
      indicator("[]", true);
      return;
    }
    const int outer = indent_;
    // A sequence in a map is not indented further, unless it begins the line.
    if (root_) {
      indent_ = 0;
    } else if (!in_map || indention_) {
      indent_ += kIndent;
    }
    root_ = false;
    for (const Value& item : items) {
      write_indent();
      indicator("-", true, true);
      node(item, /*in_map=*/false);
    }
    indent_ = outer;
  }

  // A key on one line, of less than 128 letters.
  static bool is_simple(const Value& key) {
    auto* text = key.get_if<std::string>();
    if (!text) return true;
    const Letters letters = letters_of(*text);
    // PyYAML counts the tag of a key, too: "tag:yaml.org,2002:str" is written "!!str".
    return !letters.empty() && letters.size() + 5 < 128 && !analyze(letters).multiline;
  }

  void scalar(const Value& value, bool is_key) {
    if (value.is_none()) return plain_text("null", !is_key);
    if (auto* b = value.get_if<bool>()) return plain_text(*b ? "true" : "false", !is_key);
    if (auto* d = value.get_if<double>()) return plain_text(number(*d), !is_key);
    if (value.is<std::int64_t>() || value.is<konfig::BigInt>()) {
      return plain_text(konfig::scalar_text(value), !is_key);
    }
    if (auto* path = value.get_if<std::filesystem::path>()) return text(path->string(), is_key);
    if (auto* s = value.get_if<std::string>()) return text(*s, is_key);
    throw Error(ErrorKind::type, konfig::shorten(value.repr(), 40) + ": a " +
                                     std::string(value.type_name()) + " has no form in YAML");
  }

  static std::string number(double d) {
    if (!std::isfinite(d)) return std::isnan(d) ? ".nan" : d < 0 ? "-.inf" : ".inf";
    std::string out = konfig::repr_float(d);
    const auto e = out.find('e');
    // "1e-07" would be text to YAML 1.1.
    if (e != out.npos && out.find('.') == out.npos) out.insert(e, ".0");
    return out;
  }

  void text(const std::string& text, bool is_key) {
    const Letters letters = letters_of(text);
    const Analysis analysis = analyze(letters);
    const bool is_text = plain_kind(text) == Plain::text;
    if (is_text && analysis.plain && !letters.empty()) return plain(letters, !is_key);
    if (analysis.single_quoted && !(is_key && analysis.multiline) && !ends_in_breaks(letters)) {
      return single_quoted(letters, !is_key);
    }
    double_quoted(letters, !is_key);
  }

  // PyYAML writes such texts in single quotes, which yaml-cpp reads with a break too few.
  static bool ends_in_breaks(const Letters& text) {
    return !text.empty() && text.back() == '\n' &&
           (text.size() == 1 || text[text.size() - 2] == '\n');
  }

  // ---- Scalars. `split`: long lines may be folded at spaces.

  void plain_text(const std::string& text, bool split) { plain(letters_of(text), split); }

  void write_letters(const Letters& text, std::size_t from, std::size_t to) {
    // ASCII, but for breaks in single quotes.
    for (; from < to; ++from) put(std::string(1, static_cast<char>(text[from])));
  }

  void plain(const Letters& text, bool split) {
    if (!whitespace_) put(" ");
    whitespace_ = indention_ = false;
    std::size_t from = 0;
    bool spaces = false;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      const std::int32_t c = i < text.size() ? text[i] : -1;
      if (spaces ? c != ' ' : (c == -1 || c == ' ')) {
        if (spaces && from + 1 == i && column_ > kWidth && split) {
          write_indent();
          whitespace_ = indention_ = false;
        } else {
          write_letters(text, from, i);
        }
        from = i;
      }
      spaces = c == ' ';
    }
  }

  void single_quoted(const Letters& text, bool split) {
    indicator("'", true);
    std::size_t from = 0;
    bool spaces = false, breaks = false;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      const std::int32_t c = i < text.size() ? text[i] : -1;
      if (spaces) {
        if (c != ' ') {
          if (from + 1 == i && column_ > kWidth && split && from != 0 && i != text.size()) {
            write_indent();
          } else {
            write_letters(text, from, i);
          }
          from = i;
        }
      } else if (breaks) {
        if (!is_break(c)) {
          line_break();
          for (; from < i; ++from) line_break();
          write_indent();
        }
      } else if (c == -1 || c == ' ' || is_break(c) || c == '\'') {
        write_letters(text, from, i);
        from = i;
      }
      if (c == '\'') {
        put("''");
        from = i + 1;
      }
      spaces = c == ' ';
      breaks = c != -1 && is_break(c);
    }
    indicator("'", false);
  }

  static std::string escaped(std::int32_t c) {
    switch (c) {
      case 0:
        return "\\0";
      case 7:
        return "\\a";
      case 8:
        return "\\b";
      case '\t':
        return "\\t";
      case '\n':
        return "\\n";
      case 0x0B:
        return "\\v";
      case 0x0C:
        return "\\f";
      case '\r':
        return "\\r";
      case 0x1B:
        return "\\e";
      case '"':
        return "\\\"";
      case '\\':
        return "\\\\";
      case 0x85:
        return "\\N";
      case 0xA0:
        return "\\_";
      case 0x2028:
        return "\\L";
      case 0x2029:
        return "\\P";
      default:
        break;
    }
    if (c <= 0xFF) return fmt::format("\\x{:02X}", c);
    return c <= 0xFFFF ? fmt::format("\\u{:04X}", c) : fmt::format("\\U{:08X}", c);
  }

  void double_quoted(const Letters& text, bool split) {
    indicator("\"", true);
    std::size_t from = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      const std::int32_t c = i < text.size() ? text[i] : -1;
      if (c == -1 || c == '"' || c == '\\' || c < 0x20 || c > 0x7E) {
        write_letters(text, from, i);
        from = i;
        if (c != -1) {
          put(escaped(c));
          from = i + 1;
        }
      }
      const int pending = from < i ? static_cast<int>(i - from) : 0;
      const int ahead = from > i ? -1 : pending;  // PyYAML counts an escape that is written already
      if (i > 0 && i + 1 < text.size() && (c == ' ' || from >= i) && column_ + ahead > kWidth &&
          split) {
        write_letters(text, from, i);
        if (from < i) from = i;
        put("\\");
        write_indent();
        whitespace_ = indention_ = false;
        if (text[from] == ' ') put("\\");
      }
    }
    indicator("\"", false);
  }

  std::string out_;
  int column_ = 0;
  int indent_ = 0;
  int depth_ = 0;
  bool root_ = true;  // nothing is open yet
  bool whitespace_ = true, indention_ = true;
};

}  // namespace

std::string to_yaml(const Value& value) { return Writer().text(value); }

}  // namespace tfimm::train::detail
