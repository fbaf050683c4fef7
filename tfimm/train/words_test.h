// Lines of flags as xargs takes them apart, for tests.
#pragma once

#include <string>
#include <vector>

namespace tfimm::train {

// Of text in which \ quotes line breaks only.
inline std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  char quote = 0;
  bool escaped = false;
  for (char c : text) {
    if (escaped) {
      word += c;
      escaped = false;
    } else if (quote == 0 && c == '\\') {
      escaped = true;
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote == 0 && c == '\n') {
      out.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  return out;
}

}  // namespace tfimm::train
