#include "loader/cc_locations_impl.h"

#include <map>
#include <set>
#include <utility>

#include "base/join.h"
#include "loader/brackets_impl.h"

namespace loader {
namespace {

using base::Token;

constexpr int kMostCalls = 1000;  // a function may call itself

class Reader {
 public:
  explicit Reader(std::string_view source) : tokens_(code_tokens(source)) {}

  // The lines of each path.
  std::map<std::string, std::set<int>> read() {
    function(exported(), "");
    return std::move(lines_);
  }

 private:
  const Token& token(std::size_t at) const {
    static const Token none;
    return at < tokens_.size() ? tokens_[at] : none;
  }
  bool is_member(std::size_t at) const {
    return at > 0 && (token(at - 1).is(".") || token(at - 1).is("::") || token(at - 1).is("->"));
  }
  void note(const std::string& path, std::size_t at) { lines_[path].insert(token(at).line); }

  // What a function gives the parts of its result, which is the value of `place`.
  void function(std::string_view name, const std::string& place) {
    const std::size_t begin = body_of(name);
    if (begin == tokens_.size() || ++calls_ > kMostCalls) return;
    const std::size_t outer_end = std::exchange(end_, behind(tokens_, begin) - 1);
    const std::string_view root = returned(begin + 1);
    bool declared = !place.empty();
    for (std::size_t at = begin + 1; at < end_; ++at) {
      if (!place.empty() && token(at).is("return")) value(place, at + 1);  // return Adam{...};
      if (root.empty() || !token(at).is(root) || is_member(at)) continue;
      if (!std::exchange(declared, true)) note("", at);
      statement(at, place);
    }
    end_ = outer_end;
  }

  // The function in KONFIG_EXPORT(function).
  std::string_view exported() const {
    for (std::size_t at = 0; at + 2 < tokens_.size(); ++at) {
      if (token(at).is("KONFIG_EXPORT") && token(at + 1).is("(")) return token(at + 2).text;
    }
    return {};
  }

  // The brace that opens the function's body; the end of the text where there is none.
  std::size_t body_of(std::string_view function) const {
    for (std::size_t at = 0; !function.empty() && at + 1 < tokens_.size(); ++at) {
      if (!token(at).is(function) || !token(at + 1).is("(")) continue;
      const std::size_t open = behind(tokens_, at + 1);
      if (token(open).is("{")) return open;
    }
    return tokens_.size();
  }

  // Is this a call of a function of the file?
  bool calls(std::size_t at) const {
    return token(at).kind == Token::kWord && token(at + 1).is("(") &&
           body_of(token(at).text) < tokens_.size();
  }

  // The variable in `return cfg;`, or "".
  std::string_view returned(std::size_t begin) const {
    std::string_view out;
    for (std::size_t at = begin; at + 2 < end_ + 1; ++at) {
      if (token(at).is("return") && token(at + 1).kind == Token::kWord && token(at + 2).is(";")) {
        out = token(at + 1).text;
      }
    }
    return out;
  }

  // `cfg.evals["eval"].run = value;` from its first word on, which is the value of `place`.
  void statement(std::size_t at, const std::string& place) {
    const std::size_t first = at++;
    std::string path = place;
    bool known = true;  // `cfg.evals[name]` is somewhere in evals
    for (; at < end_; ++at) {
      if (token(at).is(".") && token(at + 1).is("as") && token(at + 2).is("<")) {
        at = behind_angles(tokens_, at + 2) + 1;  // .as<T>()
      } else if (token(at).is(".") && token(at + 1).kind == Token::kWord) {
        ++at;
        if (known) path = inside(path, token(at).text);
      } else if (token(at).is("[")) {
        const std::size_t close = behind(tokens_, at) - 1;
        known = known && close == at + 2 && token(at + 1).kind == Token::kLiteral;
        if (known) path = item(path, token(at + 1).text);
        at = close;
      } else {
        break;
      }
    }
    if (path.empty()) return;
    if (path == place && token(at).is("{")) return items(path, at + 1);  // Adam adam{...};
    if (!token(at).is("=") || token(at + 1).is("=")) return;
    if (path != place) note(path, first);
    if (known) value(path, at + 1);
  }

  static std::string inside(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : path + "." + std::string(name);
  }
  // Of `["recon"]` or `[2]`.
  static std::string item(const std::string& path, std::string_view literal) {
    if (!literal.starts_with('"')) return path + "[" + std::string(literal) + "]";
    return inside(path, literal.substr(1, literal.size() - 2));
  }

  // Looks into the braces of a value, to the `,`, `;` or bracket behind it, which it gives back.
  std::size_t value(const std::string& path, std::size_t at) {
    for (; at < end_ && !token(at).is(",") && !token(at).is(";") && !closes(token(at)); ++at) {
      if (token(at).is("<") && token(at - 1).kind == Token::kWord) {
        at = behind_angles(tokens_, at) - 1;
      } else if (token(at).is("{")) {
        items(path, at + 1);
        at = behind(tokens_, at) - 1;
      } else if (calls(at)) {  // make_ds(true)
        function(token(at).text, path);
        at = behind(tokens_, at + 1) - 1;
      } else if (token(at).is("(")) {  // node(nn::Dense{...})
        value(path, at + 1);
        at = behind(tokens_, at) - 1;
      } else if (opens(token(at))) {
        at = behind(tokens_, at) - 1;
      }
    }
    return at;
  }

  // What stands in braces: fields with their names, pairs of a map, or a list.
  void items(const std::string& path, std::size_t at) {
    for (int i = 0; at < end_ && !closes(token(at)); ++i) {
      std::string inner = path + "[" + std::to_string(i) + "]";
      const std::size_t first = at;
      if (token(at).is(".") && token(at + 1).kind == Token::kWord) {
        inner = inside(path, token(at + 1).text);
        at += token(at + 2).is("=") ? 3 : 2;
      } else if (token(at).is("{") && token(at + 1).text.starts_with('"') &&
                 token(at + 2).is(",")) {
        inner = item(path, token(at + 1).text);
        note(inner, first);
        value(inner, at + 3);
        at = behind(tokens_, at);
        if (token(at).is(",")) ++at;
        continue;
      }
      note(inner, first);
      at = value(inner, at);
      if (!closes(token(at))) ++at;
    }
  }

  Tokens tokens_;
  std::size_t end_ = 0;  // of the function's body
  int calls_ = 0;        // of functions of the file
  std::map<std::string, std::set<int>> lines_;
};

}  // namespace

konfig::Dict cc_locations(std::string_view source, const std::string& file) {
  konfig::Dict out;
  for (auto& [path, lines] : Reader(source).read()) {
    out.set(path,
            base::join(lines, " or ", [&](int line) { return file + ":" + std::to_string(line); }));
  }
  return out;
}

}  // namespace loader
