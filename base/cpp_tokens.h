// Splits C++ text into the tokens and comments that the readers here need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace base {

struct Token {
  enum Kind { kWord, kPunct, kLiteral, kComment, kDirective, kEnd };

  Kind kind = kEnd;
  std::string_view text;  // of a comment: with its marks
  int line = 0;           // where it starts, from 1
  int last_line = 0;      // where it ends
  int column = 0;         // from 0
  bool first = false;     // the first token of its line

  bool is(std::string_view other) const {
    return (kind == kWord || kind == kPunct) && text == other;
  }
};

// Always ends with a token of the kind kEnd. `::` and `->` are one token, all other punctuation is
// single characters, so that `>>` closes two template lists.
std::vector<Token> cpp_tokens(std::string_view text);

}  // namespace base
