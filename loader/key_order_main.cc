// kd_key_order: refuses sources in which a function takes its keys in another order than the
// fields have. find_package(kauldron) runs it on every target of a project before it is compiled.
//
//   kd_key_order STAMP ROOT [-IDIR]... FILE...
//
// Follows #include to the files below ROOT. When all is well, STAMP is written, and STAMP.d with
// the files that were read.
#include <cstdio>
#include <deque>
#include <exception>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpp_tokens.h"
#include "base/file.h"
#include "base/join.h"
#include "base/real_path.h"
#include "loader/key_order_impl.h"

namespace fs = std::filesystem;

namespace {

// The name in `#include "name"` or `#include <name>`; "" of another directive.
std::string_view included(std::string_view directive) {
  if (directive.find("include") == directive.npos) return {};
  const std::size_t begin = directive.find_first_of("\"<");
  if (begin == directive.npos) return {};
  const std::size_t end = directive.find_first_of("\">", begin + 1);
  return end == directive.npos ? std::string_view() : directive.substr(begin + 1, end - begin - 1);
}

struct Project {
  fs::path root;
  std::vector<fs::path> include_dirs = {};
  std::deque<fs::path> waiting = {};  // to be read
  std::set<fs::path> seen = {};

  void add(const fs::path& file) {
    const fs::path whole = base::real_path(file);
    if (whole.string().starts_with(root.string()) && fs::is_regular_file(whole) &&
        seen.insert(whole).second) {
      waiting.push_back(whole);
    }
  }
};

// "model.h:5: Blend::call takes ...", or "".
std::string wrong_order(Project& project) {
  for (; !project.waiting.empty(); project.waiting.pop_front()) {
    const fs::path& file = project.waiting.front();
    const std::string text = base::read_file(file);
    const std::string error = loader::wrong_key_order(text);
    if (!error.empty()) return file.string() + ":" + error;
    for (const base::Token& token : base::cpp_tokens(text)) {
      const auto name =
          token.kind == base::Token::kDirective ? included(token.text) : std::string_view();
      if (name.empty()) continue;
      project.add(file.parent_path() / name);
      for (auto& dir : project.include_dirs) project.add(dir / name);
    }
  }
  return "";
}

int run(const std::vector<std::string>& args) {
  if (args.size() < 2) {
    std::fputs("usage: kd_key_order STAMP ROOT [-IDIR]... FILE...\n", stderr);
    return 2;
  }
  Project project{.root = fs::canonical(args[1]) / ""};
  for (auto arg = args.begin() + 2; arg != args.end(); ++arg) {
    if (!arg->starts_with("-I")) {
      project.add(*arg);
    } else if (arg->size() > 2) {
      project.include_dirs.emplace_back(arg->substr(2));
    }
  }
  const std::string error = wrong_order(project);
  if (!error.empty()) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  fs::create_directories(fs::path(args[0]).parent_path());
  const auto write = [](const std::string& file, const std::string& text) {
    base::File(file, O_WRONLY | O_CREAT | O_TRUNC).write(text);
  };
  const auto read = base::join(project.seen, " \\\n  ", [](auto& file) { return file.string(); });
  write(args[0] + ".d", args[0] + ": " + read + "\n");
  write(args[0], "");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "kd_key_order: %s\n", e.what());
    return 1;
  }
}
