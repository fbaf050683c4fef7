#include "loader/depfile_impl.h"

namespace loader {

std::vector<std::string> parse_depfile(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  bool in_target = true;
  const auto finish = [&] {
    if (!word.empty() && !in_target) out.push_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\\' && (next == '\n' || next == '\r')) {
      finish();
      i += next == '\r' && i + 2 < text.size() && text[i + 2] == '\n' ? 2 : 1;
    } else if ((c == '\\' && (next == ' ' || next == '#' || next == '\\' || next == ':')) ||
               (c == '$' && next == '$')) {
      word += next;
      ++i;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      finish();
    } else if (c == '\n') {
      finish();
      in_target = true;
    } else if (in_target && c == ':' && (next == ' ' || next == '\n' || next == '\\')) {
      word.clear();
      in_target = false;
    } else {
      word += c;
    }
  }
  finish();
  return out;
}

}  // namespace loader
