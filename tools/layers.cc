// The rules of the source tree: parts, private headers, where libtorch may appear.
#include "tools/layers.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "base/cpp_tokens.h"
#include "tools/declarations.h"
#include "tools/includes.h"

namespace layers {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxHeaderLines = 500;

// Folders that no library may include; tests of a library may use helpers from tests/.
const std::set<std::string> kOutside = {"tests", "examples", "bench", "tools", "cmake"};

// What base may include besides the standard library, whose headers have no dot.
const std::set<std::string> kPosix = {"dirent.h", "fcntl.h",  "netinet/in.h", "poll.h",
                                      "signal.h", "stdlib.h", "unistd.h"};

std::string top(const std::string& path) { return path.substr(0, path.find('/')); }

std::string folder_of(const std::string& path) { return fs::path(path).parent_path().string(); }

std::string at(const std::string& file, int line) { return file + ":" + std::to_string(line); }

bool is_private(const std::string& path) { return path.ends_with("_impl.h"); }

bool is_public_header(const std::string& path) {
  return path.ends_with(".h") && !is_private(path) && !is_test(path) && !part_of(path).empty();
}

// Is a header there for code that computes with tensors?
bool may_need_torch(const std::string& header) {
  return tensor_parts().contains(part_of(header)) || header == "kd/model.h" ||
         header == "kd/run.h" || header.find("/engine/") != std::string::npos;
}

const Part* find_part(const std::string& name) {
  for (const Part& part : parts()) {
    if (part.name == name) return &part;
  }
  return nullptr;
}

using Edges = std::set<std::pair<std::string, std::string>>;

// Every part that includes another one, tests left out.
Edges all_edges(const Includes& includes) {
  Edges found;
  for (const auto& [file, included] : includes) {
    const std::string from = part_of(file);
    if (from.empty() || is_test(file)) continue;
    for (const Include& include : included) {
      const std::string to = part_of(include.path);
      if (find_part(to) && to != from) found.emplace(from, to);
    }
  }
  return found;
}

void check_place(const Tree& tree, std::vector<std::string>& errors) {
  std::set<std::string> seen;
  for (const auto& [file, text] : tree) {
    const std::string part = part_of(file);
    const bool known = part.empty() ? kOutside.contains(top(file)) : find_part(part) != nullptr;
    const std::string name = part.empty() ? top(file) : part;
    if (!known && seen.insert(name).second) {
      errors.push_back(at(file, 1) + ": " + name + " has no place in the order of tools/layers.cc");
    }
  }
}

bool is_standard_or_posix(const Include& include) {
  return include.system && (include.path.find_first_of("./") == std::string::npos ||
                            include.path.starts_with("sys/") || kPosix.contains(include.path));
}

void check_includes(const Includes& includes, std::vector<std::string>& errors) {
  for (const auto& [file, included] : includes) {
    const std::string from = part_of(file);
    const Part* part = find_part(from);
    for (const Include& include : included) {
      const std::string where = at(file, include.line) + ": ";
      const std::string target = folder_of(include.path);
      if (include.path.empty()) {
        errors.push_back(where + "an include names its file: #include \"x.h\"");
        continue;
      }
      if (is_private(include.path) && folder_of(file) != target &&
          !file.starts_with(target + "/")) {
        errors.push_back(where + include.path + " is private to " + target);
      }
      // What includes such a header would reach the private one, too.
      if (is_private(include.path) && is_public_header(file)) {
        errors.push_back(where + "a public header includes no private one (" + include.path + ")");
      }
      if (!part || is_test(file)) continue;
      if (is_test(include.path)) errors.push_back(where + include.path + " is for tests only");
      const std::string to = part_of(include.path);
      const bool outside = kOutside.contains(top(include.path));
      if (from == "base" && to != "base" && !is_standard_or_posix(include)) {
        errors.push_back(where + "base includes only the standard library and POSIX (" +
                         include.path + ")");
        continue;
      }
      if (outside || (find_part(to) && to != from && !part->below.contains(to))) {
        errors.push_back(where + from + " must not include " + (outside ? top(include.path) : to) +
                         " (" + include.path + ")");
      }
    }
  }
}

// Is it a source of libkd_types, which is built without libtorch?
bool is_config_source(const std::string& file) {
  return top(file) == "kd" && file.find("/config/") != std::string::npos && file.ends_with(".cc");
}

void check_torch(const Tree& tree, const Includes& includes, std::vector<std::string>& errors) {
  for (const auto& [file, included] : includes) {
    if (part_of(file).empty() || is_test(file)) continue;
    const bool outside_kd = top(file) != "kd";
    const bool config = is_config_source(file);
    const bool header = file.ends_with(".h") && !is_private(file) && !may_need_torch(file);
    if (!outside_kd && !config && (!header || declares_component(tree.at(file)))) continue;
    const std::string chain = chain_to_torch(file, includes);
    if (chain.empty()) continue;
    const std::string fault = outside_kd ? part_of(file) + " must not reach libtorch"
                              : config   ? "reaches libtorch, so it does not belong in config/"
                                         : "reaches libtorch, so it belongs in a folder engine/";
    errors.push_back(at(file, 1) + ": " + fault + " (" + chain + ")");
  }
}

// The build looks for components in public headers of kd's parts and of kxm only, and includes
// these in sources that do without libtorch.
void check_components(const Tree& tree, const Includes& includes,
                      std::vector<std::string>& errors) {
  for (const auto& [file, text] : tree) {
    const std::string part = part_of(file);
    if (part.empty() || is_test(file) || !declares_component(text)) continue;
    if (part != "kxm" && !part.starts_with("kd/")) {
      errors.push_back(at(file, 1) +
                       ": a component is declared in kxm or in a part of kd, such as "
                       "kd/losses: nothing registers one of " +
                       part);
    } else if (!file.ends_with(".h") || is_private(file)) {
      errors.push_back(at(file, 1) + ": a component is declared in a public header");
    } else if (const std::string chain = chain_to_torch(file, includes); !chain.empty()) {
      errors.push_back(at(file, 1) +
                       ": a component is declared without libtorch; declare what its members name "
                       "(struct AverageState;) instead of including it (" +
                       chain + ")");
    }
  }
}

bool has_pragma_once(const std::string& text) {
  return std::ranges::any_of(base::cpp_tokens(text), [](const base::Token& token) {
    return token.kind == base::Token::kDirective && token.text.starts_with("#pragma once");
  });
}

// CMake and the rules here know no others.
void check_endings(const Tree& tree, std::vector<std::string>& errors) {
  for (const auto& [file, text] : tree) {
    if (file.ends_with(".h") || file.ends_with(".cc")) continue;
    errors.push_back(at(file, 1) + ": a header is called x.h, and a source x.cc");
  }
}

void check_headers(const Tree& tree, std::vector<std::string>& errors) {
  for (const auto& [file, text] : tree) {
    if (!file.ends_with(".h")) continue;
    if (!has_pragma_once(text)) {
      errors.push_back(at(file, 1) + ": a header needs #pragma once");
    }
    const auto lines = std::count(text.begin(), text.end(), '\n');
    if (lines > kMaxHeaderLines) {
      errors.push_back(at(file, kMaxHeaderLines + 1) + ": a header has at most " +
                       std::to_string(kMaxHeaderLines) + " lines (" + std::to_string(lines) + ")");
    }
  }
}

bool is_reached(const std::string& from, const std::string& to, const Edges& edges,
                const std::pair<std::string, std::string>& without) {
  std::vector<std::string> queue = {from};
  std::set<std::string> seen;
  while (!queue.empty()) {
    const std::string part = queue.back();
    queue.pop_back();
    if (part == to) return true;
    if (!seen.insert(part).second) continue;
    for (auto it = edges.lower_bound({part, ""}); it != edges.end() && it->first == part; ++it) {
      if (*it != without) queue.push_back(it->second);
    }
  }
  return false;
}

}  // namespace

const std::set<std::string>& tensor_parts() {
  static const std::set<std::string> parts = {"kd/core",   "kd/io",     "kd/random",
                                              "kd/typing", "kd/einops", "kd/engine"};
  return parts;
}

bool declares_component(const std::string& text) {
  if (text.find("KONFIG_") == text.npos) return false;
  const auto found = components::scan_declarations(text);
  return !found.faults.empty() ||
         std::ranges::any_of(found.components, &components::Declaration::registered);
}

const std::vector<Part>& parts() {
  // Only edges that are there: one that is no longer needed is an error, too.
  static const std::vector<Part> all = {
      {"base", {}},
      {"konfig", {"base"}},
      {"kontext", {"base", "konfig"}},
      {"flags", {"base", "konfig", "kontext"}},
      {"loader", {"base", "konfig", "flags"}},
      {"kxm", {"base", "konfig", "flags", "loader"}},
      {"tfimm", {"base", "konfig"}},
      {"kd/core", {"base", "konfig", "kontext"}},
      {"kd/sharding", {"konfig", "kd/core"}},
      {"kd/io", {"base", "konfig", "kd/core"}},
      {"kd/random", {"base", "konfig", "kd/core"}},
      {"kd/typing", {"base", "konfig", "kd/core"}},
      {"kd/einops", {"base", "konfig", "kd/core"}},
      {"kd/optim", {"base", "konfig", "kontext", "kd/core", "kd/random"}},
      {"kd/metrics", {"base", "konfig", "kontext", "kd/core", "kd/typing"}},
      {"kd/losses", {"kd/core", "kd/typing", "kd/optim", "kd/metrics"}},
      {"kd/nn", {"base", "konfig", "kontext", "kd/core", "kd/random", "kd/typing", "kd/einops"}},
      {"kd/data", {"base", "konfig", "kd/core", "kd/io", "kd/random", "kd/einops"}},
      {"kd/summaries",
       {"base", "konfig", "kontext", "kd/core", "kd/typing", "kd/einops", "kd/metrics"}},
      {"kd/ckpts", {"base", "konfig", "kontext", "kd/core", "kd/io", "kd/optim"}},
      {"kd/writers", {"base", "konfig", "kd/core", "kd/io", "kd/data"}},
      {"kd/inspect",
       {"base", "konfig", "kd/core", "kd/io", "kd/data", "kd/summaries", "kd/writers"}},
      {"kd/exports", {"base", "konfig", "kontext", "kd/core", "kd/io", "kd/nn", "kd/writers"}},
      {"kd/train",
       {"base", "konfig", "kontext", "kxm", "kd/core", "kd/sharding", "kd/io", "kd/random",
        "kd/optim", "kd/metrics", "kd/losses", "kd/nn", "kd/data", "kd/ckpts", "kd/writers",
        "kd/inspect", "kd/exports"}},
      {"kd/evals",
       {"base", "konfig", "kontext", "kxm", "kd/core", "kd/losses", "kd/data", "kd/ckpts",
        "kd/writers", "kd/train"}},
      {"kd/problems",
       {"base", "konfig", "tfimm", "kd/core", "kd/typing", "kd/io", "kd/optim", "kd/losses",
        "kd/nn", "kd/data", "kd/ckpts", "kd/writers", "kd/exports", "kd/train", "kd/evals"}},
      {"kd/engine",
       {"base", "konfig", "kontext", "tfimm", "kd/core", "kd/optim", "kd/metrics", "kd/nn",
        "kd/data", "kd/ckpts", "kd/writers", "kd/inspect", "kd/train", "kd/evals", "kd/problems"}},
      {"kd",
       {"konfig", "kd/core", "kd/sharding", "kd/io", "kd/optim", "kd/metrics", "kd/losses",
        "kd/summaries", "kd/nn", "kd/data", "kd/ckpts", "kd/writers", "kd/inspect", "kd/exports",
        "kd/train", "kd/evals", "kd/problems", "kd/engine"}},
      {"cli",
       {"base", "konfig", "kontext", "flags", "loader", "kxm", "tfimm", "kd/summaries",
        "kd/inspect", "kd/problems", "kd/engine"}},
  };
  return all;
}

std::string part_of(const std::string& path) {
  const auto slash = path.find('/');
  if (slash == path.npos) return "";
  std::string first = path.substr(0, slash);
  if (kOutside.contains(first)) return "";
  if (first != "kd") return first;
  const auto second = path.find('/', slash + 1);
  return second == path.npos ? "kd" : path.substr(0, second);
}

bool is_test(const std::string& path) {
  static const std::regex kTest(R"(_(test|fuzz|bench)\.(cc|h)$|/compile_fail/)");
  return std::regex_search(path, kTest);
}

bool is_own_project(const std::string& folder) {
  std::ifstream in(fs::path(folder) / "CMakeLists.txt");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return text.starts_with("project(") || text.find("\nproject(") != text.npos;
}

namespace {

bool is_cpp(const fs::path& file) {
  static const std::set<std::string> endings = {".h",   ".cc",  ".hh", ".hpp", ".hxx", ".inc",
                                                ".ipp", ".inl", ".c",  ".cpp", ".cxx", ".c++"};
  // Locks and leftovers of editors begin with a dot.
  return endings.contains(file.extension().string()) && !file.filename().string().starts_with('.');
}

}  // namespace

Tree read_tree(const std::string& root) {
  Tree tree;
  for (auto it = fs::recursive_directory_iterator(root); it != end(it); ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory()) {
      const bool at_root = it.depth() == 0;
      if (name.starts_with('.') || (at_root && name.starts_with("build")) ||
          (at_root && is_own_project(it->path().string()))) {
        it.disable_recursion_pending();
      }
    } else if (is_cpp(it->path())) {
      std::ifstream in(it->path(), std::ios::binary);
      tree[fs::relative(it->path(), root).generic_string()] = {std::istreambuf_iterator<char>(in),
                                                               {}};
    }
  }
  return tree;
}

std::vector<std::string> check(const Tree& tree) {
  const Includes includes = all_includes(tree);
  std::vector<std::string> errors;
  check_place(tree, errors);
  check_includes(includes, errors);
  check_torch(tree, includes, errors);
  const auto cycles = include_cycles(includes);
  errors.insert(errors.end(), cycles.begin(), cycles.end());
  check_components(tree, includes, errors);
  check_headers(tree, errors);
  check_endings(tree, errors);
  return errors;
}

std::vector<std::string> unused_edges(const Tree& tree) {
  const Edges real = all_edges(all_includes(tree));
  std::vector<std::string> unused;
  for (const Part& part : parts()) {
    for (const std::string& lower : part.below) {
      if (!real.contains({part.name, lower})) unused.push_back(part.name + " -> " + lower);
    }
  }
  return unused;
}

Edges edges(const Tree& tree) {
  const Edges all = all_edges(all_includes(tree));
  Edges drawn;
  for (const auto& edge : all) {
    if (!is_reached(edge.first, edge.second, all, edge)) drawn.insert(edge);
  }
  return drawn;
}

std::string draw(const Tree& tree) {
  std::string out = "digraph layers {\n  node [shape = box];\n";
  for (const auto& [from, to] : edges(tree)) {
    out += "  \"" + from + "\" -> \"" + to + "\";\n";
  }
  return out + "}\n";
}

std::set<std::string> reached_from(const std::set<std::string>& headers, const Tree& tree) {
  std::set<std::string> seen = headers;
  std::vector<std::string> queue(headers.begin(), headers.end());
  while (!queue.empty()) {
    const std::string file = queue.back();
    queue.pop_back();
    for (const Include& include : includes_of(file, tree)) {
      if (tree.contains(include.path) && seen.insert(include.path).second) {
        queue.push_back(include.path);
      }
    }
  }
  return seen;
}

}  // namespace layers
