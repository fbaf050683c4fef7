// Texts as the C functions that start programs want them.
#pragma once

#include <string>
#include <vector>

namespace base {

// Pointers into the texts, and a null pointer behind them: the argv of execv.
inline std::vector<char*> c_strings(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace base
