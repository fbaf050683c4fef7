#include "konfig/load.h"
#include "konfig/sequence.h"
#include "kxm/text_list_impl.h"

namespace kxm::detail {

using konfig::Value;

std::vector<std::string> split_commas(const std::string& text) {
  std::vector<std::string> out(1);
  for (char c : text) {
    if (c == ',') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

std::vector<std::string> text_list(const Value& value, const char* field) {
  if (value.is_none()) return {};
  if (auto* text = value.get_if<std::string>()) return split_commas(*text);
  const konfig::Sequence* list = konfig::as_sequence(value);
  if (!list) {
    throw konfig::Error(konfig::ErrorKind::type, std::string("xp.") + field +
                                                     ": expected a list of texts or \"a,b\", got " +
                                                     konfig::describe(value));
  }
  std::vector<std::string> out;
  for (auto& item : *list) {
    out.push_back(item.is<std::string>() ? item.as<std::string>() : item.repr());
  }
  return out;
}

}  // namespace kxm::detail
