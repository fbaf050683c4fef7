#include "loader/files_impl.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "konfig/error.h"
#include "konfig/suggest.h"

namespace loader {
namespace {

namespace fs = std::filesystem;

// A file descriptor that is closed at the end.
class Descriptor {
 public:
  Descriptor(const fs::path& file, int flags)
      : fd_(::open(file.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

}  // namespace

std::optional<std::string> read_file(const fs::path& file) {
  const Descriptor fd(file, O_RDONLY);
  if (!fd) return std::nullopt;
  std::string out;
  for (;;) {
    constexpr std::size_t kBlock = 1 << 15;
    const auto size = out.size();
    out.resize(size + kBlock);
    const auto n = ::read(fd.get(), out.data() + size, kBlock);
    out.resize(size + static_cast<std::size_t>(n > 0 ? n : 0));
    if (n == 0) return out;
    if (n < 0 && errno != EINTR) return std::nullopt;
  }
}

bool write_synced(const fs::path& file, std::string_view text) {
  const Descriptor fd(file, O_WRONLY | O_CREAT | O_TRUNC);
  if (!fd) return false;
  while (!text.empty()) {
    const auto n = ::write(fd.get(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return ::fsync(fd.get()) == 0;
}

bool sync(const fs::path& path) {
  const Descriptor fd(path, O_RDONLY);
  return fd && ::fsync(fd.get()) == 0;
}

void require_file(const fs::path& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) {
    throw konfig::Error(konfig::ErrorKind::value, file.string() + ": is a folder, not a file");
  }
  if (fs::exists(file, error)) return;
  auto folder = file.parent_path();
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    if (!entry.is_directory(error)) names.push_back(entry.path().filename().string());
  }
  std::string hint;
  if (auto name = konfig::nearest(file.filename().string(), names, 0.6)) {
    hint = "; did you mean '" + (folder / *name).string() + "'?";
  } else if (!folder.empty() && !fs::is_directory(folder, error)) {
    hint = "; there is no folder '" + folder.string() + "'";
  }
  throw konfig::Error(konfig::ErrorKind::value, file.string() + ": no such file" + hint);
}

TempDir::TempDir(const fs::path& parent) {
  std::string name = parent / kTempPrefix;
  name += "XXXXXX";
  if (!::mkdtemp(name.data())) {
    throw fs::filesystem_error("cannot make a folder", parent,
                               std::error_code(errno, std::generic_category()));
  }
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace loader
