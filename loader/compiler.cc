#include "loader/compiler_impl.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <csignal>

#include "base/clock.h"
#include "base/file.h"
#include "konfig/config_registry.h"
#include "konfig/error.h"
#include "loader/build_info_impl.h"
#include "loader/compiler_output_impl.h"
#include "loader/depfile_impl.h"
#include "loader/hash.h"

namespace loader {
namespace {

namespace fs = std::filesystem;

std::string stamp(const fs::path& file) {
  struct stat info = {};
  ::stat(file.c_str(), &info);
  return std::to_string(info.st_size) + ' ' + std::to_string(info.st_mtim.tv_sec) + '.' +
         std::to_string(info.st_mtim.tv_nsec);
}

bool changed_between(const fs::path& file, double begin, double end) {
  struct stat info = {};
  if (::stat(file.c_str(), &info) != 0) return true;
  const double time =
      static_cast<double>(info.st_mtim.tv_sec) + static_cast<double>(info.st_mtim.tv_nsec) * 1e-9;
  return time > begin && time <= end;
}

bool is_full(const fs::path& folder) {
  struct statvfs info;
  if (::statvfs(folder.c_str(), &info) != 0) return false;
  return static_cast<std::uintmax_t>(info.f_bavail) * info.f_frsize < (256u << 10);
}

// By its name; a script around a compiler is taken for the one that compiled this.
bool is_clang(const fs::path& compiler) {
  const std::string name = compiler.filename().string();
  if (name.find("clang") != std::string::npos) return true;
  if (name.find("g++") != std::string::npos || name.find("gcc") != std::string::npos) return false;
#ifdef __clang__
  return true;
#else
  return false;
#endif
}

}  // namespace

bool is_verbose() {
  const auto text = environment("KD_VERBOSE");
  return !text.empty() && text != "0";
}

Compiler find_compiler() {
  const auto name = compiler_name();
  const auto program = find_program(name);
  if (!program) {
    throw konfig::Error(konfig::ErrorKind::value,
                        "config files in C++ need a compiler, and '" + name +
                            "' is not there; install it, or name another one: KD_CXX=g++");
  }
  std::error_code error;
  auto real = fs::canonical(*program, error);
  if (error) real = *program;
  Compiler out{.program = *program, .flags = {"-std=c++20", "-O1", "-fPIC", "-pipe"}};
  if (is_clang(real)) {
    // A header that is written anew with the same text is the same one. With its time in the
    // precompiled header #pragma once would take it for another. The cache compares contents.
    out.flags.insert(out.flags.end(), {"-Xclang", "-fno-pch-timestamp"});
  } else {
    // Types of one file must not take over those of another file that have the same name.
    out.flags.emplace_back("-fno-gnu-unique");
  }
  for (auto& flag : build_flags()) out.flags.push_back(flag);
  out.flags.insert(out.flags.end(), {"-fdiagnostics-color=never", "-fmessage-length=0"});
  for (auto& dir : include_dirs()) out.flags.push_back("-I" + dir.string());
  out.identity = "form 1 " + real.string() + ' ' + stamp(real) + '\n' + konfig::kBuildId + '\n';
  for (auto& flag : out.flags) out.identity += flag + '\n';
  for (auto* variable : {"CPATH", "CPLUS_INCLUDE_PATH"}) {
    out.identity += environment(variable) + '\n';
  }
  return out;
}

Compilation run_compiler(const Compiler& compiler, const std::vector<std::string>& arguments,
                         const fs::path& workspace) {
  const auto depfile = workspace / "deps";
  Command command{.argv = {compiler.program},
                  .environment = {"LC_ALL=C", "TMPDIR=" + workspace.string()}};
  command.argv.insert(command.argv.end(), compiler.flags.begin(), compiler.flags.end());
  command.argv.insert(command.argv.end(), {"-MMD", "-MF", depfile});
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());

  Compilation out;
  const double begin = base::now();
  out.outcome = run(command);
  if (is_verbose()) {
    std::string line;
    for (auto& word : command.argv) line += word + ' ';
    out.outcome.err = line + '\n' + out.outcome.err;
  }
  if (!out.outcome.ok()) {
    out.disk_full = out.outcome.err.find("No space left on device") != std::string::npos ||
                    out.outcome.err.find("Disk quota exceeded") != std::string::npos ||
                    out.outcome.signal == SIGBUS || is_full(workspace);
    return out;
  }
  for (auto& path : parse_depfile(base::try_read_file(depfile).value_or(""))) {
    const auto absolute = fs::absolute(path);
    const auto content = hash_file(absolute);
    out.stable &= content && !changed_between(absolute, begin, base::now());
    out.dependencies.push_back({absolute.string(), content.value_or("")});
  }
  // Not even the file itself: the list could not be written or read.
  out.stable &= !out.dependencies.empty();
  return out;
}

std::string explain(const Compilation& failed, const std::string& file) {
  const auto& outcome = failed.outcome;
  if (is_verbose()) return file + ": does not compile:\n" + outcome.err;
  if (auto text = first_error(outcome.err, file); !text.empty()) return text;
  auto text = file + ": the compiler failed";
  if (outcome.signal != 0) text += " (signal " + std::to_string(outcome.signal) + ")";
  return text + (outcome.err.empty() ? "" : ":\n" + outcome.err);
}

}  // namespace loader
