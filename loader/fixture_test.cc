#include "loader/fixture_test.h"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "base/durable.h"
#include "loader/build_info_impl.h"
#include "loader/cache_impl.h"
#include "loader/compile_impl.h"
#include "test_paths.h"

namespace loader {
namespace {

namespace fs = std::filesystem;

fs::path shared_dir() { return fs::path(KD_BINARY_DIR) / "tests" / "loader_test_files"; }

// Stands for the compiler: reports each run, and waits where a test wants it to. It never changes,
// so that the precompiled header made with it stays valid.
std::string watched_compiler() {
  const auto real = fs::canonical(*find_program(compiler_name()));
  const auto file = shared_dir() / ("watched-" + real.filename().string());
  const auto text =
      "#!/bin/sh\n"
      "case \"$*\" in *c++-header*) exec " +
      real.string() +
      " \"$@\";; esac\n"
      "echo run >> \"$KD_TEST_RUNS\"\n"
      "if [ -n \"$KD_TEST_STARTED\" ]; then\n"
      "  exec 3> \"$KD_TEST_STARTED\"\n"
      "  echo $$ >&3\n"
      "  read line < \"$KD_TEST_GO\"\n"
      "fi\n"
      "exec " +
      real.string() + " \"$@\"\n";
  if (base::try_read_file(file) != text) {
    fs::create_directories(shared_dir());
    const base::TempFolder aside(kTempPrefix, shared_dir());
    base::write_synced(aside.path() / "compiler", text);
    ::chmod((aside.path() / "compiler").c_str(), 0755);
    fs::rename(aside.path() / "compiler", file);
  }
  return file.string();
}

}  // namespace

FileTest::FileTest() : dir_(kTempPrefix, fs::canonical(fs::temp_directory_path())) {}

FileTest::~FileTest() {
  for (auto it = old_.rbegin(); it != old_.rend(); ++it) {
    auto& [name, value] = *it;
    value.first ? ::setenv(name.c_str(), value.second.c_str(), 1) : ::unsetenv(name.c_str());
  }
}

std::string FileTest::write(const std::string& name, const std::string& text) const {
  const auto file = dir() / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

void FileTest::remember(const char* variable) {
  const char* value = std::getenv(variable);
  old_.push_back({variable, {value != nullptr, value ? value : ""}});
}

void FileTest::set(const char* variable, const std::string& value) {
  remember(variable);
  ::setenv(variable, value.c_str(), 1);
}

void FileTest::unset(const char* variable) {
  remember(variable);
  ::unsetenv(variable);
}

std::string FileTest::probe_program() { return KD_BINARY_DIR "/tests/loader_probe"; }

Outcome FileTest::probe(const std::string& source, const std::vector<std::string>& more) {
  Command command{.argv = {probe_program(), source}};
  command.argv.insert(command.argv.end(), more.begin(), more.end());
  return run(command);
}

CompileTest::CompileTest() : cache_(shared_dir() / "cache") {
  unset("KD_VERBOSE");
  unset("KD_CXX");
  set("KD_CXX", watched_compiler());
  set("KD_TEST_RUNS", (dir() / "runs").string());
  unset("KD_TEST_STARTED");
  set("XDG_CACHE_HOME", cache_.string());
}

void CompileTest::use_fresh_cache() {
  compile(write("empty.cc", ""));  // makes the header, the first time
  const auto from = cache_dir();
  cache_ = dir() / "cache";
  fs::create_directories(cache_dir());
  for (const auto& entry : fs::directory_iterator(from)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with("prefix-")) continue;
    fs::copy(entry.path(), cache_dir() / name,
             entry.is_directory() ? fs::copy_options::create_hard_links : fs::copy_options::none);
  }
  fs::remove(dir() / "runs");
  set("XDG_CACHE_HOME", cache_.string());
}

std::vector<std::string> CompileTest::cached(const std::string& suffix) const {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(cache_dir())) {
    const auto name = entry.path().filename().string();
    if (name.ends_with(suffix) && !name.starts_with("prefix-")) out.push_back(name);
  }
  return out;
}

std::vector<std::string> CompileTest::leftovers() const {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(cache_dir())) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(kTempPrefix)) out.push_back(name);
  }
  return out;
}

int CompileTest::compiler_runs() const {
  const auto text = base::try_read_file(dir() / "runs").value_or("");
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

void CompileTest::hold_compiler() {
  ASSERT_EQ(::mkfifo(started().c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(go().c_str(), 0600), 0);
  set("KD_TEST_STARTED", started());
  set("KD_TEST_GO", go());
}

void CompileTest::release_compiler() { unset("KD_TEST_STARTED"); }

std::string cc_config(const std::string& body, const std::string& before) {
  return "#include \"kd/kd.h\"\n" + before + "\nstatic konfig::ConfigDict get_config() {\n" + body +
         "\n}\nKONFIG_EXPORT(get_config)\n";
}

}  // namespace loader
