#include "base/shell_quote.h"

#include <algorithm>
#include <cctype>

namespace base {

std::string shell_quote(std::string_view text) {
  auto safe = [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("@%+=:,./-_").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), safe)) return std::string(text);
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\"'\"'") : std::string(1, c);
  return out + "'";
}

}  // namespace base
