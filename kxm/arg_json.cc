#include "kxm/arg_json.h"

#include "konfig/json.h"
#include "konfig/literal.h"

namespace kxm {

using konfig::Value;

namespace {

// Certainly text, without reading it: paths, and words longer than any that means something else.
// Each unit has such texts, and to find out by reading costs more than all else.
bool is_plain(std::string_view text) {
  if (text.starts_with('/')) return true;
  constexpr std::size_t kLongestWord = 9;  // "-Infinity"
  const bool letter = !text.empty() && ((text[0] >= 'a' && text[0] <= 'z') || text[0] == '_');
  return letter && text.size() > kLongestWord && text.find_first_of("'\"") == text.npos;
}

}  // namespace

std::string arg_to_text(const Value& value) {
  if (auto* text = value.get_if<std::string>()) return *text;
  return konfig::to_json(value);
}

Value arg_from_text(std::string_view text) {
  try {
    return konfig::parse_json(text);
  } catch (const konfig::Error&) {
    return text;
  }
}

std::string config_arg_to_text(const Value& value) {
  auto* text = value.get_if<std::string>();
  if (!text) return konfig::to_json(value);
  if (is_plain(*text)) return *text;
  const Value read = konfig::parse_flag_value(*text);
  return read.is<std::string>() && read.as<std::string>() == *text ? *text : konfig::to_json(value);
}

}  // namespace kxm
