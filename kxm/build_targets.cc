// CMake's file API tells where the program of a target is; its answer is read after configuring.
#include "kxm/build_targets.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <regex>

#include "base/file.h"
#include "base/join.h"
#include "konfig/error.h"
#include "konfig/json.h"
#include "konfig/suggest.h"
#include "konfig/value.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to programs

namespace kxm {
namespace {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::List;
using konfig::Value;

constexpr std::string_view kRoot = "//";

struct Label {
  std::string dir, name;
};

Label parse_label(const std::string& text) {
  static const std::regex kForm(R"(//([^:]*):([^:/]+))");
  std::smatch match;
  if (!std::regex_match(text, match, kForm)) {
    throw Error(ErrorKind::value, "'" + text + "' is not the label of a target: write //dir:name");
  }
  return {.dir = match[1], .name = match[2]};
}

// What it prints goes to standard error: standard output is for results.
void run_cmake(std::vector<std::string> args) {
  args.insert(args.begin(), "cmake");
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, "cmake", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw Error(ErrorKind::value, std::string("cmake cannot be started: ") + std::strerror(error) +
                                      "; install the package cmake");
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) {
    throw Error(ErrorKind::value, "`" + base::join(args, " ") + "` failed; see its output above");
  }
}

Dict read_json(const fs::path& file) {
  return konfig::parse_json(base::read_file(file)).as<Dict>();
}

std::string text_of(const Dict& dict, const char* key) {
  const Value* value = dict.find(key);
  return value && value->is<std::string>() ? value->as<std::string>() : "";
}

// The newest answer that CMake left.
fs::path index_file(const fs::path& reply) {
  std::vector<fs::path> found;
  std::error_code none;
  for (auto& entry : fs::directory_iterator(reply, none)) {
    if (entry.path().filename().string().starts_with("index-")) found.push_back(entry.path());
  }
  if (found.empty()) {
    throw Error(ErrorKind::value,
                reply.string() + ": CMake left no answer; version 3.14 or newer is needed");
  }
  return *std::ranges::max_element(found);  // their names grow with time
}

struct Program {
  Label label;
  fs::path file;
};

std::vector<Program> programs_of(const Project& project) {
  const fs::path reply = project.build / ".cmake/api/v1/reply";
  const Dict answer = read_json(index_file(reply)).at("reply").as<Dict>();
  const Dict model = read_json(reply / text_of(answer.at("codemodel-v2").as<Dict>(), "jsonFile"));
  std::vector<Program> out;
  for (const Value& configuration : model.at("configurations").as<List>()) {
    for (const Value& entry : configuration.as<Dict>().at("targets").as<List>()) {
      const Dict target = read_json(reply / text_of(entry.as<Dict>(), "jsonFile"));
      if (text_of(target, "type") != "EXECUTABLE") continue;
      std::string dir = text_of(target.at("paths").as<Dict>(), "source");
      if (dir == ".") dir.clear();
      const Dict& artifact = target.at("artifacts").as<List>()[0].as<Dict>();
      out.push_back({.label = {.dir = dir, .name = text_of(target, "name")},
                     .file = project.build / text_of(artifact, "path")});
    }
  }
  return out;
}

const Program& find_program(const std::vector<Program>& programs, const std::string& text,
                            const Project& project) {
  const Label label = parse_label(text);
  std::vector<std::string> known;
  for (const Program& program : programs) {
    if (program.label.dir == label.dir && program.label.name == label.name) return program;
    known.push_back(std::string(kRoot) + program.label.dir + ":" + program.label.name);
  }
  throw Error(ErrorKind::value, "no program '" + text + "' in the project " +
                                    project.root.string() + konfig::did_you_mean(text, known));
}

bool is_project(const fs::path& folder) {
  static const std::regex kProject(R"((^|\n)[ \t]*project[ \t]*\()", std::regex::icase);
  const auto text = base::try_read_file(folder / "CMakeLists.txt");
  return text && std::regex_search(*text, kProject);
}

}  // namespace

bool is_target_label(std::string_view target) { return target.starts_with(kRoot); }

Project find_project(const fs::path& from) {
  for (fs::path folder = fs::absolute(from).lexically_normal();; folder = folder.parent_path()) {
    if (is_project(folder)) return {.root = folder, .build = folder / "build"};
    if (!folder.has_relative_path()) break;
  }
  throw Error(ErrorKind::value, "//dir:name is a target of a CMake project, and " + from.string() +
                                    " is in none: no CMakeLists.txt with project() here or above");
}

std::map<std::string, fs::path> build_targets(const std::vector<std::string>& labels,
                                              const Project& project) {
  if (labels.empty()) return {};
  const fs::path query = project.build / ".cmake/api/v1/query";
  fs::create_directories(query);
  std::ofstream(query / "codemodel-v2").flush();
  run_cmake({"-S", project.root.string(), "-B", project.build.string()});
  const std::vector<Program> programs = programs_of(project);
  std::map<std::string, fs::path> out;
  std::vector<std::string> build = {"--build", project.build.string(), "--target"};
  for (const std::string& label : labels) {
    const Program& program = find_program(programs, label, project);
    if (out.emplace(label, program.file).second) build.push_back(program.label.name);
  }
  run_cmake(build);
  return out;
}

}  // namespace kxm
