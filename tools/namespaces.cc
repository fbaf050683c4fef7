// Reads declarations at the level of namespaces; what is within braces of other kinds is skipped.
#include "tools/namespaces.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>

#include "base/cpp_tokens.h"
#include "base/replace_all.h"

namespace layers {

using base::Token;

namespace {

bool is_macro(std::string_view word) {
  return std::ranges::all_of(word, [](unsigned char c) { return std::isupper(c) || c == '_'; });
}

class Reader {
 public:
  explicit Reader(std::string_view text) {
    for (const Token& token : base::cpp_tokens(text)) {
      if (token.kind != Token::kComment && token.kind != Token::kDirective) {
        tokens_.push_back(token);
      }
    }
  }

  std::vector<Declared> run() {
    read_namespace("");
    return std::move(out_);
  }

 private:
  const Token& at(std::size_t ahead = 0) const {
    return tokens_[std::min(pos_ + ahead, tokens_.size() - 1)];
  }
  bool ended() const { return at().kind == Token::kEnd; }

  // To its closing brace, or to the end.
  void read_namespace(const std::string& space) {
    while (!ended() && !at().is("}")) {
      if (at().is("inline") && at(1).is("namespace")) ++pos_;
      if (at().is("namespace")) {
        read_inner(space);
      } else if (at().is("extern") && at(2).is("{")) {  // the names of C
        pos_ += 2;
        skip_brackets();
      } else {
        read_statement(space);
      }
    }
    ++pos_;
  }

  // `namespace a::b {`, `namespace {` or `namespace a = b;`
  void read_inner(const std::string& space) {
    std::string name;
    for (++pos_; at().kind == Token::kWord || at().is("::"); ++pos_) name += at().text;
    if (at().is("=")) {
      skip_to(";");
      return;
    }
    ++pos_;
    const bool outer = in_file_;
    in_file_ |= name.empty();
    read_namespace(space.empty() ? name : space + "::" + name);
    in_file_ = outer;
  }

  void skip_to(std::string_view end) {
    while (!ended() && !at().is(end)) ++pos_;
    ++pos_;
  }

  // Behind what closes the bracket here.
  void skip_brackets() {
    int depth = 0;
    do {
      if (at().is("(") || at().is("{") || at().is("[")) ++depth;
      if (at().is(")") || at().is("}") || at().is("]")) --depth;
      ++pos_;
    } while (depth > 0 && !ended());
  }

  void skip_angles() {
    int depth = 0;
    do {
      if (at().is("(") || at().is("{")) {
        skip_brackets();
        continue;
      }
      if (at().is("<")) ++depth;
      if (at().is(">")) --depth;
      ++pos_;
    } while (depth > 0 && !ended());
  }

  void read_statement(const std::string& space) {
    const bool macro = at().kind == Token::kWord && is_macro(at().text) && at(1).is("(");
    const bool of_c = at().is("extern") && at(1).kind == Token::kLiteral;
    bool special = false;
    while (at().is("template") || at().is("extern")) {
      special |= at(1).is("<") && at(2).is(">");         // template <>
      special |= at().is("template") && !at(1).is("<");  // an instantiation
      ++pos_;
      if (at().is("<")) skip_angles();
      if (at().is("requires") && at(1).is("(")) {
        ++pos_;
        skip_brackets();
      }
    }
    const bool alias = at().is("using") || at().is("typedef") || at().is("static_assert");
    const bool type = at().is("class") || at().is("struct") || at().is("union") || at().is("enum");
    std::size_t name = pos_;  // the last word so far
    bool qualified = false;   // it is a::name or a<...>::name
    bool named = false;       // what follows is not the name any more
    bool body = false;
    while (!ended() && !at().is(";")) {
      if (at().is("}")) break;  // of the namespace
      if (at().is("<") && !named) {
        special |= type;
        skip_angles();
      } else if (at().is("{") || at().is("(") || at().is("[")) {
        const bool attribute = at().is("[") && at(1).is("[");
        const bool brace = at().is("{");
        named |= !attribute;
        skip_brackets();
        if (!brace) continue;
        body = true;
        // The end of a function.
        if (at().kind == Token::kWord || at().is("}") || (at().is("[") && at(1).is("["))) break;
      } else {
        named |= at().is("=") || (at().is(":") && type);
        if (at().kind == Token::kWord && !named) {
          qualified = pos_ > 0 && tokens_[pos_ - 1].is("::");
          name = pos_;
        }
        ++pos_;
      }
    }
    if (at().is(";")) ++pos_;
    const bool forward = type && !body;
    if (alias || macro || of_c || special || qualified || forward) return;
    if (!in_file_) out_.push_back({space, std::string(tokens_[name].text), tokens_[name].line});
  }

  std::vector<Token> tokens_;
  std::size_t pos_ = 0;
  bool in_file_ = false;  // in a namespace without a name
  std::vector<Declared> out_;
};

// What any part may declare elsewhere, each for its reason.
const std::set<std::pair<std::string, std::string>> kElsewhere = {
    {"kd", "poly_call"},    // `loss(context)`: found in the namespace of its argument, kd::Loss
    {"", "kd_engine_api"},  // a name of C, for dlsym
    {"", "main"},           // these two are where the language and the system want them
    {"", "environ"},
};

// Parts whose library has another name.
const std::map<std::string, std::string> kTargets = {
    {"kd", "kd_types"},  // the structs of all parts of kd; `kd` is the program
    {"cli", "kd_cli"},   // objects of that program and of its tests, not a library
};

std::string target_of(const Part& part) {
  const auto exception = kTargets.find(part.name);
  return exception != kTargets.end() ? exception->second : base::replace_all(part.name, "/", "_");
}

std::string without_comments(const std::string& cmake) {
  static const std::regex comment("#[^\n]*");
  return std::regex_replace(cmake, comment, "");
}

// The parts that a part may include, directly or not.
std::set<std::string> all_below(const Part& part) {
  std::set<std::string> out = part.below;
  for (auto lower = parts().rbegin(); lower != parts().rend(); ++lower) {  // upper ones first
    if (out.contains(lower->name)) out.insert(lower->below.begin(), lower->below.end());
  }
  return out;
}

// The part whose namespace this is or is within; "" for a foreign one.
std::string owner_of(const std::string& space) {
  std::string owner;
  std::size_t longest = 0;
  for (const Part& part : parts()) {
    const std::string own = namespace_of(part.name);
    if (own.size() > longest && (space == own || space.starts_with(own + "::"))) {
      owner = part.name;
      longest = own.size();
    }
  }
  return owner;
}

}  // namespace

std::vector<Declared> declared_in(std::string_view text) { return Reader(text).run(); }

std::string namespace_of(const std::string& part) {
  // What the core defines is so common that it is in kd itself, as the umbrellas above all are.
  if (part == "kd/core") return "kd";
  return base::replace_all(part, "/", "::");
}

std::vector<std::string> check_namespaces(const Tree& tree) {
  std::vector<std::string> errors;
  for (const auto& [file, text] : tree) {
    const std::string part = part_of(file);
    if (part.empty() || is_test(file)) continue;
    for (const Declared& declared : declared_in(text)) {
      if (namespace_of(owner_of(declared.space)) == namespace_of(part)) continue;
      if (kElsewhere.contains({declared.space, declared.name})) continue;
      errors.push_back(file + ":" + std::to_string(declared.line) + ": " + declared.name +
                       " is in " + (declared.space.empty() ? "no namespace" : declared.space) +
                       ", and its folder is that of " + namespace_of(part));
    }
  }
  return errors;
}

std::vector<std::string> check_targets(const std::map<std::string, std::string>& lists) {
  std::vector<std::string> errors;
  for (const Part& part : parts()) {
    const std::string target = target_of(part);
    const std::string file = part.name + "/CMakeLists.txt";
    const auto text = lists.find(file);
    const std::regex makes("(kd_library|kd_engine_library|add_library)\\(" + target + "[ )\n]");
    if (text == lists.end() || !std::regex_search(without_comments(text->second), makes)) {
      errors.push_back(file + ": makes no library " + target);
    }
  }
  return errors;
}

std::vector<std::string> check_links(const std::map<std::string, std::string>& lists) {
  static const std::regex call(R"(kd_(?:engine_)?library\([^)]*\))"), used(R"(kauldron::(\w+))");
  std::map<std::string, std::string> part_of_target;
  for (const Part& part : parts()) part_of_target[target_of(part)] = part.name;
  std::vector<std::string> errors;
  for (const Part& part : parts()) {
    const std::string file = part.name + "/CMakeLists.txt";
    const auto text = lists.find(file);
    std::smatch library;
    const std::string plain = text == lists.end() ? "" : without_comments(text->second);
    if (!std::regex_search(plain, library, call)) continue;
    const std::set<std::string> below = all_below(part);
    const std::string links = library.str();
    for (std::sregex_iterator it(links.begin(), links.end(), used), last; it != last; ++it) {
      const auto lower = part_of_target.find((*it)[1]);
      if (lower == part_of_target.end() || below.contains(lower->second)) continue;
      errors.push_back(file + ": links " + lower->first + ", which is not below " + part.name);
    }
  }
  return errors;
}

}  // namespace layers
