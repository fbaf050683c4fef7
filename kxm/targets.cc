#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kxm/command_impl.h"
#include "kxm/merge.h"
#include "kxm/targets_impl.h"

namespace kxm::detail {
namespace {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}
bool is_program(const fs::path& path) { return is_file(path) && access(path.c_str(), X_OK) == 0; }

std::string find_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string all = path ? path : "/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= all.size();) {
    const auto end = std::min(all.find(':', begin), all.size());
    const fs::path file = fs::path(all.substr(begin, end - begin)) / name;
    if (end > begin && is_program(file)) return file.string();
    begin = end + 1;
  }
  return "";
}

Error not_found(const std::string& target, const std::string& why) {
  return {ErrorKind::value, "target '" + target + "': " + why +
                                "; give a program, a script, or //dir:name for a CMake target"};
}

// "#!/bin/sh\r" names an interpreter that is not there; a job would only say "No such file".
void check_line_ends(const std::string& target, const fs::path& file) {
  std::string line(256, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(in.gcount()));
  line.resize(std::min(line.find('\n'), line.size()));
  if (!line.starts_with("#!") || !line.ends_with('\r')) return;
  throw Error(ErrorKind::value, "target '" + target + "': the lines of " + file.string() +
                                    " end as on Windows (CRLF), so that its interpreter is not "
                                    "found; dos2unix mends it");
}

// The script of a job with use_interpreter: the one that is named, else that of its target.
std::vector<std::string> script(const ResolvedJob& job, const PlanContext& context) {
  auto* named = find_path(job.params, "interpreter_info.script_path");
  const bool given = named && named->is<std::string>();
  const std::string target = job.text("target");
  if (!given && target.empty()) {
    throw Error(ErrorKind::value,
                "use_interpreter: no script to run; name one, for example "
                "--xp.interpreter_info.script_path=train.py or --xp.target=//dir:train");
  }
  const fs::path file = user_file(given ? named->as<std::string>() : script_path(target), context);
  if (is_file(file)) return {"python3", file.string()};
  throw Error(ErrorKind::value,
              (given ? "interpreter_info.script_path" : "target '" + target + "'") +
                  ": there is no script " + file.string() + "; give the path of a Python file");
}

}  // namespace

std::string user_file(const std::string& path, const PlanContext& context) {
  // "//a/b" is below the working directory, as "a/b" is.
  const auto begin = path.starts_with("//") ? path.find_first_not_of('/') : 0;
  const std::string below = begin == path.npos ? "" : path.substr(begin);
  const fs::path file = (fs::path(context.cwd) / below).lexically_normal();
  std::error_code error;
  if (context.launch_dir.empty() || fs::exists(file, error)) return file.string();
  const fs::path beside = (fs::path(context.cwd) / context.launch_dir / below).lexically_normal();
  return fs::exists(beside, error) ? beside.string() : file.string();
}

std::size_t program_words(const std::vector<std::string>& argv) {
  return argv.size() > 1 && (argv[0] == "python3" || argv[0] == "bash") ? 2 : 1;
}

std::vector<std::string> program_of(const ResolvedJob& job, const PlanContext& context) {
  const std::string target = job.text("target");
  if (job.flag("use_interpreter", false)) {
    try {
      return script(job, context);
    } catch (const Error& e) {
      throw Error(e.kind(), "job '" + job.key + "': " + e.what());
    }
  }
  if (target.empty() && !job.verb.empty()) return {context.kd, job.verb};
  if (target.empty()) {
    throw Error(ErrorKind::value, "job '" + job.key +
                                      "': no target; name its program, for example "
                                      "--xp.jobs." +
                                      job.key +
                                      ".target=./train.sh (kd itself runs a job that gets the "
                                      "config: args={'cfg': kxm.CFG_FLAG_VALUES} and --cfg=...)");
  }
  const bool label = target.starts_with("//");
  try {
    if (label) return {target};
    const fs::path file = user_file(target, context);
    if (target.find('/') == target.npos && !is_file(file)) {
      const std::string found = find_in_path(target);
      if (found.empty()) throw not_found(target, "no such file, and no such program in PATH");
      return {found};
    }
    if (is_file(file)) check_line_ends(target, file);
    if (is_program(file)) return {file.string()};
    if (std::error_code error; fs::is_directory(file, error)) {
      throw not_found(target, file.string() + " is a folder");
    }
    if (!is_file(file)) throw not_found(target, "there is no " + file.string());
    if (file.extension() == ".py") return {"python3", file.string()};
    if (file.extension() == ".sh") return {"bash", file.string()};
    throw not_found(target, "it is no program (chmod +x makes it one)");
  } catch (const Error& e) {
    throw Error(e.kind(), "job '" + job.key + "': " + e.what());
  }
}

}  // namespace kxm::detail
