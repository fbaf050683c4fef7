// Walks namespaces, structs and fields, and pairs them with the comments above and beside them.
#include "base/field_docs.h"

#include <algorithm>
#include <cctype>

#include "base/cpp_tokens.h"

namespace base {

namespace {

std::string_view trim(std::string_view text, std::string_view chars = " \t\r") {
  const std::size_t begin = text.find_first_not_of(chars);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(chars) - begin + 1);
}

// Rulers and words to tools document nothing.
bool is_prose(std::string_view line) {
  for (std::string_view mark : {"clang-format ", "NOLINT", "IWYU "}) {
    if (line.starts_with(mark)) return false;
  }
  return std::any_of(line.begin(), line.end(), [](unsigned char c) { return std::isalnum(c); });
}

// Flows lines into a paragraph; an empty line starts a new one.
class Prose {
 public:
  void add_comment(std::string_view comment) {
    if (comment.starts_with("//")) return add_line(strip(comment.substr(2), "/!<"));
    comment.remove_prefix(2);
    if (comment.ends_with("*/")) comment.remove_suffix(2);
    while (!comment.empty()) {
      const std::size_t end = comment.find('\n');
      add_line(strip(trim(comment.substr(0, end)), "*!<"));
      comment.remove_prefix(end == comment.npos ? comment.size() : end + 1);
    }
  }

  const std::string& text() const { return text_; }

 private:
  static std::string_view strip(std::string_view line, std::string_view marks) {
    line.remove_prefix(std::min(line.find_first_not_of(marks), line.size()));
    return trim(line);
  }

  void add_line(std::string_view line) {
    if (line.empty()) {
      paragraph_ = !text_.empty();
    } else if (is_prose(line)) {
      if (!text_.empty()) text_ += paragraph_ ? '\n' : ' ';
      text_ += line;
      paragraph_ = false;
    }
  }

  std::string text_;
  bool paragraph_ = false;
};

class Scanner {
 public:
  explicit Scanner(std::string_view header) : tokens_(base::cpp_tokens(header)) {}

  std::vector<StructDocs> run() {
    do {
      scope("", nullptr);
    } while (take_if("}"));  // one too many: go on behind it
    std::erase_if(structs_, [](const StructDocs& s) { return s.docs.empty(); });
    return std::move(structs_);
  }

 private:
  // ---- Tokens. Comments and directives are seen only by the functions on comments. -------------

  static bool is_code(const Token& t) {
    return t.kind != Token::kComment && t.kind != Token::kDirective;
  }

  std::size_t skip_comments(std::size_t pos) const {
    while (!is_code(tokens_[pos])) ++pos;
    return pos;
  }

  // The next one; the comments before it stay to be read.
  const Token& peek() const { return tokens_[skip_comments(pos_)]; }

  const Token& take() {
    pos_ = skip_comments(pos_);
    const Token& token = tokens_[pos_];
    if (token.kind != Token::kEnd) ++pos_;
    return token;
  }

  bool take_if(std::string_view text) {
    if (!peek().is(text)) return false;
    take();
    return true;
  }

  static bool opens(const Token& t) { return t.is("(") || t.is("{") || t.is("["); }
  static bool closes(const Token& t) { return t.is(")") || t.is("}") || t.is("]"); }

  // From an opening bracket to behind its partner.
  void skip_balanced() {
    int depth = 0;
    do {
      const Token& t = take();
      if (t.kind == Token::kEnd) return;
      depth += opens(t) - closes(t);
    } while (depth > 0);
  }

  // From `<` to behind its `>`.
  void skip_angles() {
    int depth = 0;
    do {
      const Token& t = peek();
      if (t.kind == Token::kEnd || t.is(";") || closes(t)) return;
      if (opens(t)) {
        skip_balanced();
        continue;
      }
      depth += t.is("<") - t.is(">");
      take();
    } while (depth > 0);
  }

  void skip_attributes() {
    while (peek().is("[") || peek().is("alignas")) {
      take_if("alignas");
      skip_balanced();
    }
  }

  // To behind the `;` of an initialiser, or to the end of the scope where that is missing.
  void skip_to_semicolon() {
    while (!peek().is(";") && !peek().is("}") && peek().kind != Token::kEnd) {
      opens(peek()) ? skip_balanced() : void(take());
    }
    take_if(";");
  }

  // ---- Comments --------------------------------------------------------------------------------

  // The comment lines that end right above the next declaration.
  std::string comment_above() {
    const std::size_t code = skip_comments(pos_);
    std::size_t begin = code;
    int line = tokens_[code].line;
    while (begin > pos_) {
      const Token& t = tokens_[begin - 1];
      if (t.kind != Token::kComment || !t.first || t.last_line != line - 1) break;
      line = t.line;
      --begin;
    }
    Prose prose;
    for (std::size_t i = begin; i < code; ++i) prose.add_comment(tokens_[i].text);
    pos_ = code;
    return prose.text();
  }

  // The comment behind the code just read, and the lines below that start in its column.
  std::string comment_beside() {
    if (pos_ == 0) return "";
    const Token& beside = tokens_[pos_];
    if (beside.kind != Token::kComment || beside.line != tokens_[pos_ - 1].last_line) return "";
    Prose prose;
    prose.add_comment(beside.text);
    int line = beside.last_line;
    for (++pos_; tokens_[pos_].kind == Token::kComment; ++pos_) {
      const Token& t = tokens_[pos_];
      if (!t.first || t.column != beside.column || t.line != line + 1) break;
      prose.add_comment(t.text);
      line = t.last_line;
    }
    return prose.text();
  }

  static std::string join(const std::string& above, const std::string& beside) {
    return above.empty() || beside.empty() ? above + beside : above + '\n' + beside;
  }

  // ---- Declarations ----------------------------------------------------------------------------

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void document(std::size_t owner, std::string_view field, const std::string& text) {
    if (owner != kNone && !text.empty()) structs_[owner].docs.emplace_back(field, text);
  }

  // Everything up to the `}` that ends the scope. `prefix` ends with `::` unless empty; `owner` is
  // the struct whose body this is.
  void scope(const std::string& prefix, const std::size_t* owner) {
    while (true) {
      const std::string above = comment_above();
      const Token& token = peek();
      if (token.is("}") || token.kind == Token::kEnd) return;
      if (token.is("namespace") || token.is("inline") || token.is("extern")) {
        if (open_namespace(prefix)) continue;
      }
      if (token.is("struct")) {
        if (open_struct(prefix, above)) continue;
      }
      declaration(owner ? *owner : kNone, above);
    }
  }

  void close_scope() { take_if("}"); }

  // `namespace a::b {`, `inline namespace a {` and `extern "C" {`; leaves anything else alone.
  bool open_namespace(const std::string& prefix) {
    const std::size_t start = pos_;
    std::string inner = prefix;
    if (take_if("extern")) {
      if (peek().kind == Token::kLiteral) take();
    } else {
      take_if("inline");
      if (!take_if("namespace")) return pos_ = start, false;
      skip_attributes();
      if (peek().is("{")) inner += std::string(kUnnamed) + "::";
      while (peek().kind == Token::kWord || peek().is("::")) {
        const Token& part = take();
        if (part.kind == Token::kWord && part.text != "inline")
          inner += std::string(part.text) + "::";
      }
    }
    if (!take_if("{")) return pos_ = start, false;
    scope(inner, nullptr);
    close_scope();
    return true;
  }

  // `struct Name : Base {`; leaves forward declarations, specialisations and the like alone.
  bool open_struct(const std::string& prefix, const std::string& above) {
    const std::size_t start = pos_;
    take();
    skip_attributes();
    if (peek().kind != Token::kWord) return pos_ = start, false;
    const std::string name = prefix + std::string(take().text);
    take_if("final");
    if (take_if(":")) {
      while (!peek().is("{") && !peek().is(";") && peek().kind != Token::kEnd) {
        peek().is("<") ? skip_angles() : void(take());
      }
    }
    if (!take_if("{")) return pos_ = start, false;

    const std::size_t index = structs_.size();
    structs_.push_back({name, {}});
    document(index, "", join(above, comment_beside()));
    scope(name + "::", &index);
    close_scope();
    skip_to_semicolon();
    comment_beside();
    return true;
  }

  static bool is_macro_name(const Token& t) {
    return t.kind == Token::kWord && t.text.size() > 1 &&
           std::none_of(t.text.begin(), t.text.end(),
                        [](unsigned char c) { return std::islower(c); });
  }

  // A field, or anything else, which is skipped.
  void declaration(std::size_t owner, const std::string& above) {
    const Token& start = peek();
    for (std::string_view access : {"public", "protected", "private"}) {
      if (!start.is(access)) continue;
      take();
      take_if(":");
      comment_beside();
      return;
    }
    if (take_if("template")) {
      if (peek().is("<")) skip_angles();
      return skip_declaration();
    }
    if (is_macro_name(start)) {
      // A macro may end without a semicolon: the next line is then another declaration.
      const std::size_t before = pos_;
      take();
      if (peek().is("(")) {
        skip_balanced();
        if (take_if(";") || peek().first) return void(comment_beside());
      }
      pos_ = before;
    }
    for (std::string_view word : {"using", "typedef", "friend", "static", "static_assert", "enum",
                                  "union", "class", "struct", "concept", "namespace"}) {
      if (start.is(word)) return skip_declaration();
    }
    field(owner, above);
  }

  // Reads names until the `;`. A parenthesis before it (outside of `<>`) means a function.
  void field(std::size_t owner, const std::string& above) {
    const std::size_t start = pos_;
    std::vector<std::string_view> names;
    std::string_view last_word;
    int words = 0;
    while (true) {
      const Token& t = peek();
      if (t.is("(") || t.is("operator") || t.is("static") || t.is("}") || t.kind == Token::kEnd) {
        pos_ = start;
        return skip_declaration();
      }
      if (t.is("<")) {
        skip_angles();
      } else if (t.is("[")) {
        skip_balanced();  // an array or an attribute
      } else if (t.is(",") || t.is(":") || t.is("=") || t.is("{") || t.is(";")) {
        names.push_back(last_word);
        if (!t.is(",")) break;
        take();
      } else {
        if (t.kind == Token::kWord) {
          last_word = t.text;
          ++words;
        }
        take();
      }
    }
    skip_to_semicolon();
    const std::string text = join(above, comment_beside());
    if (words < 2) return;  // a lone name is no field: it has no type
    for (std::string_view name : names) document(owner, name, text);
  }

  // To behind the `;` or the body, whichever ends the declaration.
  void skip_declaration() {
    bool initialiser = false;  // behind `=`: only a `;` ends it
    bool constructor = false;  // behind `) :`: members come before the body
    const Token* previous = &peek();
    while (true) {
      const Token& t = peek();
      if (t.is("}") || t.kind == Token::kEnd) return;
      if (t.is(";")) break;
      if (t.is("=") && !previous->is("operator")) initialiser = true;
      if (t.is(":") && previous->is(")")) constructor = true;
      if (!opens(t)) {
        previous = &t;
        take();
        continue;
      }
      const bool brace = t.is("{");
      const bool member = constructor && (previous->kind == Token::kWord || previous->is(">"));
      skip_balanced();
      previous = &tokens_[pos_ - 1];
      if (brace && !initialiser && !member) {
        if (!peek().is(";") && !peek().is(",")) return void(comment_beside());
      }
    }
    take_if(";");
    comment_beside();
  }

  std::vector<Token> tokens_;
  std::size_t pos_ = 0;
  std::vector<StructDocs> structs_;
};

}  // namespace

std::vector<StructDocs> scan_docs(std::string_view header) { return Scanner(header).run(); }

}  // namespace base
