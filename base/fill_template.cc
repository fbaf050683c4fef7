#include "base/fill_template.h"

namespace base {

std::string fill_template(std::string_view text,
                          const std::function<std::string(std::string_view name)>& value) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool doubled = at + 1 < text.size() && text[at + 1] == c;
    if ((c == '{' || c == '}') && doubled) {
      out += c;
      ++at;
    } else if (c == '{') {
      const std::size_t close = text.find('}', at);
      if (close == text.npos) return out + value(text.substr(at));
      out += value(text.substr(at + 1, close - at - 1));
      at = close;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace base
