#include "kxm/subdir_format.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/join.h"
#include "konfig/implement.h"
#include "konfig/suggest.h"
#include "kxm/python_text_impl.h"
#include "kxm/shorten_impl.h"

namespace kxm {
namespace {

using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

Error not_yet(std::string_view field) {
  return Error(ErrorKind::value, "{" + std::string(field) +
                                     "} is not known yet: it belongs to a unit; use it in "
                                     "subdir_format.wu_dirname only");
}

bool is_control(char c) { return (c >= 0 && c < ' ') || c == 0x7F; }

// A title is one part of a path.
std::string as_name(std::string text) {
  for (char& c : text) {
    if (c == '/' || is_control(c)) c = '-';
  }
  return text == "." || text == ".." ? "-" : text;
}

const std::vector<std::string>& known_fields() {
  static const std::vector<std::string> kFields = {
      "xid",  "name", "title",        "author",       "user",
      "cell", "wid",  "unpadded_wid", "sweep_kwargs", "separator_if_sweep"};
  return kFields;
}

std::string padded(int wid, int num_units) {
  const std::string text = std::to_string(wid), most = std::to_string(std::max(num_units, 1));
  return text.size() < most.size() ? std::string(most.size() - text.size(), '0') + text : text;
}

std::optional<Value> builtin_field(std::string_view name, const DirContext& at) {
  if (name == "xid") return at.xid;
  if (name == "name" || name == "title") return as_name(at.title);
  if (name == "author" || name == "user") return as_name(at.author);
  if (name == "cell") {
    if (!at.cell) {
      throw Error(ErrorKind::value, "{cell} is used, but the first job has none; set xp.cell");
    }
    return as_name(*at.cell);
  }
  auto& known = known_fields();
  if (std::find(known.begin(), known.end(), name) == known.end()) return std::nullopt;
  if (at.wid == 0) throw not_yet(name);
  if (name == "wid") return padded(at.wid, at.num_units);
  if (name == "unpadded_wid") return at.wid;
  const bool swept = at.sweep_kwargs && at.sweep_kwargs->size() > 0;
  if (name == "separator_if_sweep") return swept ? "-" : "";
  return swept ? sweep_kwargs_text(*at.sweep_kwargs) : std::string();
}

Value field_value(std::string_view name, const konfig::Poly<DirFormat>& format,
                  const DirContext& at) {
  if (auto value = konfig::ops_of(format).field(format.object().get(), name, at)) return *value;
  if (auto value = builtin_field(name, at)) return *value;
  throw Error(ErrorKind::value, "unknown field {" + std::string(name.substr(0, 60)) + "}" +
                                    konfig::did_you_mean(name, known_fields()) +
                                    " (there are {xid}, {name}, {author}, {cell}, {wid}, "
                                    "{unpadded_wid}, {sweep_kwargs} and {separator_if_sweep}; "
                                    "braces are written {{ and }})");
}

// A value with Python's format spec: "06d", ">8".
std::string formatted(const Value& value, std::string_view spec) {
  auto fail = [&](const std::string& why) {
    return Error(ErrorKind::value, "the format ':" + std::string(spec.substr(0, 60)) + "' " + why);
  };
  if (spec.empty()) return detail::python_str(value);
  int digits = 0, run = 0;
  for (char c : spec) run = c >= '0' && c <= '9' ? run + 1 : 0, digits = std::max(digits, run);
  if (digits > 3 || spec.find('{') != spec.npos) throw fail("is too wide; use at most 999");
  try {
    const std::string pattern = "{:" + std::string(spec) + "}";
    if (auto* whole = value.get_if<std::int64_t>()) {
      return fmt::format(fmt::runtime(pattern), *whole);
    }
    return fmt::format(fmt::runtime(pattern), detail::python_str(value));
  } catch (const fmt::format_error& e) {
    throw fail("does not fit " + detail::python_repr(value) + ": " + e.what());
  }
}

// The field in braces: name, "!r" and ":spec".
std::string field_text(std::string_view inside, const konfig::Poly<DirFormat>& format,
                       const DirContext& at) {
  const auto name = inside.substr(0, inside.find_first_of("!:"));
  auto rest = inside.substr(name.size());
  if (name.empty()) {
    throw Error(ErrorKind::value, "{} names no field; write {wid} or {xid}, or {{}} for braces");
  }
  Value value = field_value(name, format, at);
  if (rest.starts_with('!')) {
    const auto conversion =
        rest.substr(1, rest.find(':') == rest.npos ? rest.npos : rest.find(':') - 1);
    if (conversion != "r" && conversion != "s") {
      throw Error(ErrorKind::value, "'!" + std::string(conversion.substr(0, 20)) +
                                        "' is no conversion; !r and !s are");
    }
    value = conversion == "r" ? detail::python_repr(value) : detail::python_str(value);
    rest.remove_prefix(1 + conversion.size());
  }
  return formatted(value, rest.starts_with(':') ? rest.substr(1) : std::string_view());
}

}  // namespace

std::string sweep_kwargs_text(const konfig::Dict& kwargs) {
  const std::string text = base::join(kwargs, ",", [](auto& item) {
    return detail::python_str(item.first) + "=" + detail::python_str(item.second);
  });
  std::string out;
  for (char c : text) {
    if (c == '[') c = '(';
    if (c == ']') c = ')';
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');  // one of many becomes a space
    if (is_control(c) && !blank) continue;
    if (std::string_view("*\n%/\\").find(c) == std::string_view::npos) out += c;
  }
  constexpr std::size_t kWidth = 127;
  return detail::shorten_words(out, kWidth);
}

std::string format_dir(const Value& text_or_number, const konfig::Poly<DirFormat>& format,
                       const DirContext& at) {
  const std::string text = detail::python_str(text_or_number);
  auto fail = [&](const std::string& why) {
    return Error(ErrorKind::value, "'" + text.substr(0, 100) + "': " + why);
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool twice = i + 1 < text.size() && text[i + 1] == c;
    if ((c == '{' || c == '}') && twice) {
      out += c, ++i;
    } else if (c == '}') {
      throw fail("a single '}'; a brace is written }}");
    } else if (c == '{') {
      const auto end = text.find('}', i);
      if (end == text.npos) throw fail("a '{' without its '}'; a brace is written {{");
      try {
        out += field_text(std::string_view(text).substr(i + 1, end - i - 1), format, at);
      } catch (const Error& e) {
        throw Error(e.kind(), "'" + text.substr(0, 100) + "': " + e.what());
      }
      i = end;
    } else if (c == '\0') {
      throw fail("a path has no zero byte");
    } else {
      out += c;
    }
  }
  return out;
}

std::string join_dirs(const std::string& left, const std::string& right) {
  if (right.starts_with('/') || left.empty()) return right;
  return left + (left.ends_with('/') ? "" : "/") + right;
}

}  // namespace kxm
