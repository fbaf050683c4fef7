// Paths and separators on the command line.
#include "flags/flag_path_impl.h"

#include <optional>

#include "base/number_in.h"
#include "konfig/registry.h"
#include "konfig/type.h"
#include "kontext/get.h"

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
  if (parsed.empty()) throw Error(ErrorKind::value, flag + ": names no field");
  return kontext::Path(parsed.parts());
}

namespace {

// Where a call has the field by position: 0 for n in EveryNSteps(100).
std::optional<std::int64_t> position_of(const konfig::ConfigDict& node, const std::string& field) {
  const auto* symbol = node.is_call() ? konfig::find_symbol(node.qualname()) : nullptr;
  if (!symbol || !symbol->type || symbol->type->open_args() || node.contains(field)) return {};
  const auto& fields = symbol->type->fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == field && node.contains(std::to_string(i))) {
      return static_cast<std::int64_t>(i);
    }
  }
  return {};
}

kontext::Part spelled_as_in(const konfig::Value& node, const kontext::Part& part) {
  if (auto* text = part.text(); text && (node.is<konfig::List>() || node.is<konfig::Tuple>())) {
    if (auto index = base::number_in<std::int64_t>(*text)) return *index;
  }
  auto* dict = node.get_if<konfig::ConfigDict>();
  if (dict && !dict->is_call() && part.index() && !dict->contains(part.value()) &&
      dict->contains(part.name())) {
    return part.name();
  }
  if (auto* field = part.text(); field && dict) {
    if (auto place = position_of(*dict, *field)) return *place;
  }
  return part;
}

}  // namespace

kontext::Path spelled_as_in(const konfig::ConfigDict& cfg, const kontext::Path& path) {
  kontext::Path out;
  kontext::TreeRef node(cfg);
  for (auto& part : path) {
    out = std::move(out) / (node ? spelled_as_in(node.value(), part) : part);
    if (node) node = node.child(out[-1]);
  }
  return out;
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
