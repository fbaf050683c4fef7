#include "tools/includes.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "base/cpp_tokens.h"
#include "base/replace_all.h"

namespace layers {

namespace {

namespace fs = std::filesystem;

bool is_torch(const std::string& include) {
  static const std::set<std::string> kFolders = {"torch", "ATen", "c10", "caffe2"};
  const auto slash = include.find('/');
  return slash != std::string::npos && kFolders.contains(include.substr(0, slash));
}

// A path from the root: "kd/nn/../core/tree.h" and "./kd//kd.h" are those of the tree; "value.h"
// and "../kd/kd.h" are meant relative to the file.
std::string path_from_root(const std::string& included, const std::string& file, const Tree& tree) {
  std::string path = fs::path(included).lexically_normal().generic_string();
  if (tree.contains(path)) return path;
  const fs::path beside = fs::path(file).parent_path() / included;
  const std::string found = beside.lexically_normal().generic_string();
  return tree.contains(found) ? found : path;
}

// A directive as one line without the comments within: `#include "a.h"`.
std::string one_line(std::string_view directive) {
  static const std::regex kComment(R"(/\*.*?\*/)");
  return std::regex_replace(base::replace_all(std::string(directive), "\\\n", " "), kComment, " ");
}

class CycleFinder {
 public:
  explicit CycleFinder(const Includes& includes) : includes_(includes) {}

  void visit(const std::string& file, std::vector<std::string>& errors) {
    if (done_.contains(file)) return;
    chain_.push_back(file);
    for (const Include& include : includes_.at(file)) {
      if (!includes_.contains(include.path) || is_second_half(file, include)) continue;
      const auto first = std::ranges::find(chain_, include.path);
      if (first == chain_.end()) {
        visit(include.path, errors);
        continue;
      }
      std::string files;
      for (auto it = first; it != chain_.end(); ++it) files += *it + " > ";
      errors.push_back(file + ":" + std::to_string(include.line) +
                       ": files include each other in a cycle (" + files + include.path + ")");
    }
    chain_.pop_back();
    done_.insert(file);
  }

 private:
  // A header in two halves: the second one may include the first, which ends by including it. Of
  // x.h, a piece x_names.h that the second half includes may, too.
  bool is_second_half(const std::string& file, const Include& first) const {
    if (first.continues) return false;
    const std::string stem = first.path.substr(0, first.path.rfind('.')) + "_";
    return std::ranges::any_of(includes_.at(first.path), [&](auto& half) {
      if (!half.continues || !includes_.contains(half.path)) return false;
      return half.path == file || (file.starts_with(stem) &&
                                   std::ranges::any_of(includes_.at(half.path), [&](auto& one) {
                                     return one.path == file;
                                   }));
    });
  }

  const Includes& includes_;
  std::vector<std::string> chain_;  // from the first file to the one that is looked at
  std::set<std::string> done_;
};

}  // namespace

std::vector<Include> includes_of(const std::string& file, const Tree& tree) {
  static const std::regex kInclude(R"(^#\s*(include|include_next|import)\b\s*(.*))");
  static const std::regex kFile(R"re(^(<|")([^">]+)[">])re");
  std::vector<Include> found;
  for (const base::Token& token : base::cpp_tokens(tree.at(file))) {
    if (token.kind != base::Token::kDirective) continue;
    const std::string text = one_line(token.text);
    std::smatch directive, name;
    if (!std::regex_search(text, directive, kInclude)) continue;
    const std::string what = directive[2];
    if (directive[1] != "include" || !std::regex_search(what, name, kFile)) {
      found.push_back({token.line, ""});
      continue;
    }
    found.push_back({token.line, path_from_root(name[2], file, tree), name[1] == "<",
                     text.find("// IWYU pragma: export") != text.npos});
  }
  return found;
}

Includes all_includes(const Tree& tree) {
  Includes out;
  for (const auto& [file, text] : tree) out[file] = includes_of(file, tree);
  return out;
}

std::string chain_to_torch(const std::string& from, const Includes& includes) {
  std::map<std::string, std::string> chain = {{from, from}};
  std::vector<std::string> queue = {from};
  while (!queue.empty()) {
    const std::string file = queue.back();
    queue.pop_back();
    for (const Include& include : includes.at(file)) {
      if (is_torch(include.path)) return chain[file] + " > " + include.path;
      if (!includes.contains(include.path) || chain.contains(include.path)) continue;
      chain[include.path] = chain[file] + " > " + include.path;
      queue.push_back(include.path);
    }
  }
  return "";
}

std::vector<std::string> include_cycles(const Includes& includes) {
  std::vector<std::string> errors;
  CycleFinder finder(includes);
  for (const auto& [file, included] : includes) finder.visit(file, errors);
  return errors;
}

}  // namespace layers
