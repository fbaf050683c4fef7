// Paths and separators on the command line.
#include "flags/flag_path_impl.h"

namespace flags::detail {

using konfig::Error;
using konfig::ErrorKind;

kontext::Path parse_flag_path(const std::string& path, std::string_view flag_name) {
  auto flag = "--" + std::string(flag_name) + (path.starts_with('[') ? "" : ".") + path;
  kontext::GlobPath parsed;
  try {
    parsed = kontext::GlobPath::parse(path);
  } catch (const Error& e) {
    throw Error(ErrorKind::value, flag + ": " + e.what());
  }
  for (auto& part : parsed) {
    if (part.is_wildcard()) {
      throw Error(ErrorKind::value,
                  flag + ": an override names one field, * and ** are not allowed");
    }
    if (!part.text() && !part.value().is<std::int64_t>()) {
      throw Error(ErrorKind::value,
                  flag + ": an override names one field by names and whole numbers");
    }
  }
  return kontext::Path(parsed.parts());
}

namespace {

std::size_t find_outside(std::string_view text, char wanted) {
  int depth = 0;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote) {
      if (c == '\\') {
        ++i;
      } else if (c == quote) {
        quote = '\0';
      }
    } else if (c == wanted && depth == 0) {
      return i;
    } else if (depth > 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '[' || c == '(' || c == '{') {
      ++depth;
    } else if (c == ']' || c == ')' || c == '}') {
      --depth;
    } else if (wanted == ',' && (c == '\'' || c == '"')) {
      quote = c;
    }
  }
  return text.npos;
}

}  // namespace

std::size_t find_equals(std::string_view text) { return find_outside(text, '='); }
std::size_t find_comma(std::string_view text) { return find_outside(text, ','); }

}  // namespace flags::detail
