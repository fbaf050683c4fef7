// Looks for the macros among the tokens of a header; all else is skipped.
#include "tools/declarations.h"

#include <algorithm>
#include <optional>

#include "base/cpp_tokens.h"

namespace components {

using base::Token;

namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view header) {
    for (const Token& token : base::cpp_tokens(header)) {
      if (token.kind != Token::kComment && token.kind != Token::kDirective) {
        tokens_.push_back(token);
      }
    }
  }

  Declarations run() {
    for (; at().kind != Token::kEnd; ++pos_) {
      if (at().is("KONFIG_COMPONENT")) add(true, true);
      if (at().is("KONFIG_TYPE")) add(false, true);
      if (at().is("KD_ALSO_IMPLEMENTS")) add(true, false);
      if (at().is("struct")) add_implemented();
    }
    return std::move(out_);
  }

 private:
  const Token& at(std::size_t ahead = 0) const {
    return tokens_[std::min(pos_ + ahead, tokens_.size() - 1)];
  }

  // A name such as kd::losses::L2 and what ends it; nothing where no name stands.
  std::optional<std::string> name(std::size_t& ahead) const {
    std::string out;
    while (at(ahead).kind == Token::kWord || at(ahead).is("::")) out += at(ahead++).text;
    if (out.empty()) return std::nullopt;
    return out;
  }

  void add(bool with_interface, bool registered) {
    if (!at(1).is("(")) return;
    std::size_t ahead = 2;
    std::string interface;
    if (with_interface) {
      const auto first = name(ahead);
      if (!first || !at(ahead++).is(",")) return out_.unreadable.push_back(at().line);
      interface = *first;
    }
    const auto type = name(ahead);
    if (!type || !(at(ahead).is(",") || at(ahead).is(")"))) {
      return out_.unreadable.push_back(at().line);
    }
    out_.components.push_back({interface, *type, registered, names(ahead), at().line});
  }

  // The texts up to the end of a declaration.
  std::vector<std::string> names(std::size_t ahead) const {
    std::vector<std::string> out;
    for (; at(ahead).kind != Token::kEnd && !at(ahead).is(")"); ++ahead) {
      const std::string_view text = at(ahead).text;
      if (at(ahead).kind != Token::kLiteral || !text.starts_with('"')) continue;
      out.emplace_back(text.substr(1, text.size() - 2));
    }
    return out;
  }

  // `struct kd::Implement<kd::Loss> {`, also without kd:: within that namespace.
  void add_implemented() {
    std::size_t ahead = 1;
    const auto table = name(ahead);
    if (table != "Implement" && table != "kd::Implement") return;
    if (!at(ahead++).is("<")) return;
    const auto interface = name(ahead);
    if (!interface || !at(ahead).is(">") || !at(ahead + 1).is("{")) return;
    out_.implemented.push_back(interface->starts_with("kd::") ? *interface : "kd::" + *interface);
  }

  std::vector<Token> tokens_;
  std::size_t pos_ = 0;
  Declarations out_;
};

}  // namespace

Declarations scan_declarations(std::string_view header) { return Scanner(header).run(); }

}  // namespace components
