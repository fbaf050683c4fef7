// The folder of a run.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "kd/core/damaged.h"
#include "kd/core/durable.h"
#include "kd/train/workdir_impl.h"
#include "kd/writers/progress.h"
#include "konfig/error.h"
#include "konfig/json.h"

namespace kd::train {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& why) {
  throw konfig::Error(konfig::ErrorKind::value, "workdir", why + "; choose another folder");
}

// The part of a path that is there and no folder, if any: "a" of "a/b/c".
fs::path file_in(const fs::path& path) {
  fs::path out;
  std::error_code ignored;
  for (const fs::path& part : path) {
    out /= part;
    if (fs::exists(out, ignored) && !fs::is_directory(out, ignored)) return out;
  }
  return {};
}

bool has_config(const fs::path& file) {
  const auto text = base::try_read_file(file);
  std::error_code ignored;
  if (!text) return fs::exists(file, ignored);
  try {
    konfig::config_from_json(*text);
    return true;
  } catch (const konfig::Error& e) {
    const std::string aside = set_aside(file).filename().string();
    writers::print_line("warning: " + file.string() + ": damaged: " + e.what() + "; kept as " +
                        aside + ", and written anew from the config given");
    return false;
  }
}

}  // namespace

void keep_config(const fs::path& workdir, const konfig::ConfigDict& config, bool is_new) {
  const fs::path file = workdir / "config.json";
  if (!is_new && has_config(file)) return;
  replace_file(file, konfig::to_json(config, {.indent = 2}) + "\n");
}

NewFolders::NewFolders(const fs::path& path) {
  std::error_code error;
  for (fs::path p = path; !p.empty() && !fs::exists(p, error); p = p.parent_path()) {
    made_.push_back(p);
  }
  fs::create_directories(path, error);
  if (const fs::path file = file_in(path); !file.empty()) fail(file.string() + " is no folder");
  if (error) {
    remove();
    fail(path.string() + " cannot be made: " + error.message());
  }
}

void NewFolders::remove() {
  std::error_code has_files;
  for (const fs::path& path : made_) fs::remove(path, has_files);
}

void check_can_write(const fs::path& path) {
  if (::access(path.c_str(), W_OK) == 0) return;
  fail(path.string() + " cannot be written to: " + std::strerror(errno));
}

HeldWorkdir::HeldWorkdir(const fs::path& path) : folders_(path) {
  check_can_write(path);
  handle_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Some file systems of networks cannot hold folders; a run is possible all the same.
  if (::flock(handle_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(handle_);
    fail(path.string() + " belongs to another training that is running now");
  }
}

HeldWorkdir::~HeldWorkdir() {
  if (handle_ >= 0) ::close(handle_);
}

}  // namespace kd::train
