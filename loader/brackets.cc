#include "loader/brackets_impl.h"

namespace loader {

using base::Token;

Tokens code_tokens(std::string_view source) {
  Tokens out;
  for (const Token& t : base::cpp_tokens(source)) {
    if (t.kind != Token::kComment && t.kind != Token::kDirective) out.push_back(t);
  }
  return out;
}

std::size_t behind(const Tokens& tokens, std::size_t at) {
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    depth += opens(tokens[at]) - closes(tokens[at]);
    if (depth == 0) return at + 1;
  }
  return at;
}

std::size_t behind_angles(const Tokens& tokens, std::size_t at) {
  int depth = 0;
  for (; at < tokens.size() && !tokens[at].is(";"); ++at) {
    depth += tokens[at].is("<") - tokens[at].is(">");
    if (depth == 0) return at + 1;
  }
  return at;
}

}  // namespace loader
