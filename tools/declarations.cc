// Looks for the macros among the tokens of a header; all else is skipped.
#include "tools/declarations.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/cpp_tokens.h"

namespace components {

using base::Token;

namespace {

constexpr char kNoPlainNames[] =
    "a component is declared by the plain names of its interface and its type";

class Scanner {
 public:
  explicit Scanner(std::string_view header) {
    for (const Token& token : base::cpp_tokens(header)) {
      if (token.kind == Token::kDirective) {
        read_directive(token);
      } else if (token.kind != Token::kComment) {
        tokens_.push_back(token);
      }
    }
    conditions_.clear();  // without an #endif
  }

  Declarations run() {
    for (; at().kind != Token::kEnd; ++pos_) {
      if (at().is("KONFIG_COMPONENT")) add(true, true);
      if (at().is("KONFIG_TYPE")) add(false, true);
      if (at().is("KD_ALSO_IMPLEMENTS")) add(true, false);
      if (at().is("struct")) add_implemented();
      follow_scopes();
    }
    return std::move(out_);
  }

 private:
  // What follows `#`, without blanks before it: "if 0".
  static std::string_view directive(const Token& token) {
    const std::size_t at = token.text.find_first_not_of("# \t");
    return at == token.text.npos ? "" : token.text.substr(at);
  }

  void read_directive(const Token& token) {
    const std::string_view text = directive(token);
    if (text.starts_with("if")) conditions_.push_back(token.line);
    if (text.starts_with("endif") && !conditions_.empty()) {
      conditional_.push_back({conditions_.back(), token.line});
      conditions_.pop_back();
    }
    if (!text.starts_with("define")) return;
    static constexpr std::string_view own[] = {"KONFIG_COMPONENT(", "KONFIG_TYPE("};
    const std::size_t name = std::min(text.find_first_not_of(" \t", 6), text.size());
    for (const std::string_view macro : own) {
      if (text.substr(name).starts_with(macro)) return;  // konfig's own
    }
    for (const std::string_view macro : own) {
      if (text.find(macro) == text.npos) continue;
      fault(token.line, "the build does not read macros: write " +
                            std::string(macro.substr(0, macro.size() - 1)) + " for each type");
    }
  }

  void fault(int line, std::string text) { out_.faults.push_back({line, std::move(text)}); }

  bool is_conditional(int line) const {
    return std::ranges::any_of(conditional_,
                               [&](auto& c) { return c.first < line && line < c.second; });
  }

  // Which namespaces and classes are open at a token.
  void follow_scopes() {
    if (at().is("namespace") || at().is("class")) {
      std::size_t ahead = 1;
      named_ = name(ahead).value_or("");
      if (at().is("class") && at(ahead).is("{") && at(ahead + 1).is("}")) {
        out_.without_functions.push_back(scope() + named_);
      }
    }
    if (at().is(";")) named_.clear();
    if (at().is("{")) scopes_.push_back(std::exchange(named_, ""));
    if (at().is("}") && !scopes_.empty()) scopes_.pop_back();
  }

  // "kxm::Executor::"
  std::string scope() const {
    std::string out;
    for (const std::string& name : scopes_) out += name.empty() ? "" : name + "::";
    return out;
  }

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
      if (!first || !at(ahead++).is(",")) return fault(at().line, kNoPlainNames);
      interface = *first;
    }
    const auto type = name(ahead);
    if (!type || !(at(ahead).is(",") || at(ahead).is(")"))) return fault(at().line, kNoPlainNames);
    if (is_conditional(at().line)) {
      return fault(at().line, *type + " is declared between #if and #endif, which the build does " +
                                  "not read; declare it always, or in a comment");
    }
    const auto found = names(ahead);
    if (!found) {
      return fault(at().line, *type +
                                  ": its names are texts such as \"module.path:Name\", "
                                  "separated by commas, up to a )");
    }
    out_.components.push_back({interface, *type, registered, *found, at().line});
  }

  // The texts up to the end of a declaration; two without a comma between them are one.
  std::optional<std::vector<std::string>> names(std::size_t ahead) const {
    std::vector<std::string> out;
    for (; !at(ahead).is(")"); ++ahead) {
      if (!at(ahead).is(",")) return std::nullopt;
      std::string name;
      for (; at(ahead + 1).kind == Token::kLiteral; ++ahead) {
        const std::string_view text = at(ahead + 1).text;
        if (!text.starts_with('"') || text.find('\\') != text.npos) return std::nullopt;
        name += text.substr(1, text.size() - 2);
      }
      if (at(ahead).is(",")) return std::nullopt;  // no text
      out.push_back(name);
    }
    return out;
  }

  // `struct kd::Implement<kd::Loss> {`, also without kd:: within that namespace, and the
  // `struct Ops {` of a class.
  void add_implemented() {
    std::size_t ahead = 1;
    const auto table = name(ahead);
    if (table == "Ops" && at(ahead).is("{") && !scopes_.empty() && !scopes_.back().empty()) {
      const std::string owner = scope();
      out_.with_ops.push_back(owner.substr(0, owner.size() - 2));
    }
    if (table != "Implement" && table != "kd::Implement") return;
    if (!at(ahead++).is("<")) return;
    const auto interface = name(ahead);
    if (!interface || !at(ahead).is(">") || !at(ahead + 1).is("{")) return;
    out_.implemented.push_back(interface->starts_with("kd::") ? *interface : "kd::" + *interface);
  }

  std::vector<Token> tokens_;
  std::size_t pos_ = 0;
  std::vector<int> conditions_;                   // lines of each #if that is open
  std::vector<std::pair<int, int>> conditional_;  // lines of an #if and its #endif
  std::vector<std::string> scopes_;               // of each open {: its namespace or class, or ""
  std::string named_;                             // whose { comes next
  Declarations out_;
};

}  // namespace

Declarations scan_declarations(std::string_view header) { return Scanner(header).run(); }

}  // namespace components
