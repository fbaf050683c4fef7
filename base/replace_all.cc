#include "base/replace_all.h"

namespace base {

std::string replace_all(std::string text, std::string_view part, std::string_view by) {
  if (part.empty()) return text;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + by.size())) {
    text.replace(at, part.size(), by);
  }
  return text;
}

}  // namespace base
