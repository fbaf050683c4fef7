// The lexer of components.
#include "base/cpp_tokens.h"

#include <algorithm>
#include <cctype>

namespace base {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (skip_space(), pos_ < text_.size()) next();
    tokens_.push_back({Token::kEnd, {}, line_, line_, 0, true});
    return std::move(tokens_);
  }

 private:
  bool at(std::string_view prefix) const { return text_.substr(pos_).starts_with(prefix); }

  void skip_space() {
    while (pos_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[pos_]))) {
      if (text_[pos_++] == '\n') start_line();
    }
  }

  void start_line() {
    ++line_;
    line_start_ = pos_;
    first_ = true;
  }

  void next() {
    const char c = text_[pos_];
    if (at("//")) return add(Token::kComment, line_end(pos_));
    if (at("/*")) return add(Token::kComment, after("*/", pos_ + 2));
    if (c == '#' && first_) return add(Token::kDirective, line_end(pos_));
    if (is_digit(c) || (c == '.' && pos_ + 1 < text_.size() && is_digit(text_[pos_ + 1]))) {
      return add(Token::kLiteral, number_end());
    }
    if (c == '"' || c == '\'') return add(Token::kLiteral, quoted_end(pos_));
    if (is_word(c)) {
      std::size_t end = pos_;
      while (end < text_.size() && is_word(text_[end])) ++end;
      const bool quote_follows = end < text_.size() && text_[end] == '"';
      if (quote_follows && text_[end - 1] == 'R') return add(Token::kLiteral, raw_end(end));
      return add(Token::kWord, end);
    }
    add(Token::kPunct, pos_ + (at("::") || at("->") ? 2 : 1));
  }

  void add(Token::Kind kind, std::size_t end) {
    const std::string_view text = text_.substr(pos_, end - pos_);
    const int column = static_cast<int>(pos_ - line_start_);
    tokens_.push_back({kind, text, line_, line_, column, first_});
    first_ = false;
    for (; pos_ < end; ++pos_) {
      if (text_[pos_] != '\n') continue;
      ++line_;
      line_start_ = pos_ + 1;
    }
    tokens_.back().last_line = line_;
  }

  // The end of the line, past those that a backslash continues.
  std::size_t line_end(std::size_t from) const {
    std::size_t end = from;
    do {
      end = std::min(text_.find('\n', end + 1), text_.size());
    } while (end < text_.size() && text_[end - 1] == '\\');
    return end;
  }

  std::size_t after(std::string_view mark, std::size_t from) const {
    const std::size_t found = text_.find(mark, from);
    return found == std::string_view::npos ? text_.size() : found + mark.size();
  }

  // 1'000.5e-3f
  std::size_t number_end() const {
    std::size_t end = pos_;
    while (end < text_.size()) {
      const char c = text_[end];
      const bool sign = (c == '+' || c == '-') && std::tolower(text_[end - 1]) == 'e';
      if (!is_word(c) && c != '.' && c != '\'' && !sign) break;
      ++end;
    }
    return end;
  }

  std::size_t quoted_end(std::size_t from) const {
    std::size_t end = from + 1;
    while (end < text_.size() && text_[end] != text_[from] && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, text_.size());
  }

  // R"mark(...)mark", with `from` at its first quote.
  std::size_t raw_end(std::size_t from) const {
    const std::size_t open = text_.find('(', from);
    if (open == std::string_view::npos) return text_.size();
    return after(")" + std::string(text_.substr(from + 1, open - from - 1)) + "\"", open);
  }

  std::string_view text_;
  std::size_t pos_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
  bool first_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> cpp_tokens(std::string_view text) { return Lexer(text).run(); }

}  // namespace base
