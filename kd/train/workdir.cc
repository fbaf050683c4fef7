// The folder of a run.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kd/train/workdir_impl.h"
#include "konfig/error.h"

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

}  // namespace

HeldWorkdir::HeldWorkdir(const fs::path& path) : path_(path) {
  std::error_code error;
  made_ = fs::create_directories(path, error);
  if (const fs::path file = file_in(path); !file.empty()) fail(file.string() + " is no folder");
  if (error) fail(path.string() + " cannot be made: " + error.message());
  if (::access(path.c_str(), W_OK) != 0) {
    fail(path.string() + " cannot be written to: " + std::strerror(errno));
  }
  handle_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Some file systems of networks cannot hold folders; a run is possible all the same.
  if (::flock(handle_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(handle_);
    fail(path.string() + " belongs to another training that is running now");
  }
}

HeldWorkdir::~HeldWorkdir() {
  std::error_code has_files;
  if (made_) fs::remove(path_, has_files);
  if (handle_ >= 0) ::close(handle_);
}

}  // namespace kd::train
