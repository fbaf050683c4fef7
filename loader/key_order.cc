#include "loader/key_order_impl.h"

#include <algorithm>
#include <vector>

#include "loader/brackets_impl.h"

namespace loader {
namespace {

using base::Token;

// The functions that are called with what the keys lead to: of modules, losses and metrics.
bool is_bound(std::string_view function) {
  return function == "call" || function == "get_values" || function == "get_state";
}

// A member of a struct: from its first token to its `;` or body.
struct Member {
  std::vector<std::string_view> names = {};       // of a field: `Key a, b;` has two
  bool is_key = false;                            // its type holds a Key
  std::string_view function = {};                 // "": a field
  std::vector<std::string_view> parameters = {};  // their names
  int line = 0;
};

class Reader {
 public:
  explicit Reader(std::string_view source) : tokens_(code_tokens(source)) {}

  std::string error() const {
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      if (!tokens_[i].is("struct") || tokens_[i + 1].kind != Token::kWord) continue;
      std::size_t at = i + 2;
      while (at < tokens_.size() && !tokens_[at].is("{") && !tokens_[at].is(";")) ++at;
      if (at >= tokens_.size() || tokens_[at].is(";")) continue;
      auto found = error_in(tokens_[i + 1].text, at + 1, behind(tokens_, at) - 1);
      if (!found.empty()) return found;
    }
    return "";
  }

 private:
  // The struct's body is [at, end).
  std::string error_in(std::string_view name, std::size_t at, std::size_t end) const {
    std::vector<std::string_view> keys;
    std::vector<Member> functions;
    while (at < end) {
      Member member = take_member(at, end);
      if (member.function.empty() && member.is_key) {
        keys.insert(keys.end(), member.names.begin(), member.names.end());
      }
      if (is_bound(member.function)) functions.push_back(std::move(member));
    }
    for (const Member& f : functions) {
      std::vector<std::string_view> taken;  // the parameters that are called as keys are
      for (auto parameter : f.parameters) {
        if (std::ranges::find(keys, parameter) != keys.end()) taken.push_back(parameter);
      }
      auto place = [&](std::string_view key) {
        return std::ranges::find(keys, key) - keys.begin();
      };
      auto wrong =
          std::ranges::adjacent_find(taken, [&](auto a, auto b) { return place(a) > place(b); });
      if (wrong == taken.end()) continue;
      return std::to_string(f.line) + ": " + std::string(name) + "::" + std::string(f.function) +
             " takes '" + std::string(*wrong) + "' before '" + std::string(*std::next(wrong)) +
             "', but keys are bound in the order of their fields, where '" +
             std::string(*std::next(wrong)) + "' comes first; change the order of one of them";
    }
    return "";
  }

  Member take_member(std::size_t& at, std::size_t end) const {
    Member out{.line = tokens_[at].line};
    std::string_view last;  // the last word outside of brackets
    bool in_value = false;  // behind `=`
    for (; at < end; ++at) {
      const Token& t = tokens_[at];
      if (t.is(";")) break;
      if (t.is("<") && !in_value) {
        const std::size_t close = behind_angles(tokens_, at);
        for (std::size_t i = at; i < close; ++i) out.is_key = out.is_key || is_key(i);
        at = close - 1;
      } else if (t.is("(") && !in_value && out.function.empty()) {
        out.function = last;
        out.line = t.line;
        const std::size_t close = behind(tokens_, at);
        out.parameters = names_in(at + 1, close - 1);
        at = close - 1;
      } else if (t.is("{") && !in_value && !out.function.empty()) {  // the body
        at = behind(tokens_, at);
        if (at < end && tokens_[at].is(";")) ++at;
        return out;
      } else if (opens(t)) {
        at = behind(tokens_, at) - 1;
      } else if (t.is("=")) {
        in_value = true;
      } else if (t.is(",")) {
        out.names.push_back(last);
        in_value = false;
      } else if (t.kind == Token::kWord && !in_value) {
        out.is_key = out.is_key || is_key(at);
        last = t.text;
      } else if (t.is(":") && (last == "public" || last == "private" || last == "protected")) {
        ++at;
        return {};
      }
    }
    if (out.function.empty()) out.names.push_back(last);
    if (at < end) ++at;
    return out;
  }

  // Key, not random::Key.
  bool is_key(std::size_t at) const {
    if (!tokens_[at].is("Key")) return false;
    return at < 2 || !tokens_[at - 1].is("::") || !tokens_[at - 2].is("random");
  }

  // Of parameters: the last word of each, before its default.
  std::vector<std::string_view> names_in(std::size_t at, std::size_t end) const {
    std::vector<std::string_view> out;
    std::string_view last;
    bool in_value = false;
    for (; at < end; ++at) {
      const Token& t = tokens_[at];
      if (t.is("<") && !in_value) {
        at = std::min(behind_angles(tokens_, at), end) - 1;
      } else if (opens(t)) {
        at = behind(tokens_, at) - 1;
      } else if (t.is(",")) {
        out.push_back(last);
        in_value = false;
      } else if (t.is("=")) {
        in_value = true;
      } else if (t.kind == Token::kWord && !in_value) {
        last = t.text;
      }
    }
    if (!last.empty()) out.push_back(last);
    return out;
  }

  Tokens tokens_;
};

}  // namespace

std::string wrong_key_order(std::string_view source) { return Reader(source).error(); }

}  // namespace loader
