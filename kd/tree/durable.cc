// Files that outlive a crash.
#include "kd/tree/durable.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace kd {

namespace fs = std::filesystem;

namespace {

// An open file that closes itself.
class File {
 public:
  File(const fs::path& path, int flags, const std::string& what)
      : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail_with_errno(path_, what, errno);
  }
  ~File() { ::close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = ::write(fd_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail_with_errno(path_, "cannot be written", errno);
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  std::string read() const {
    std::string out;
    for (std::size_t size = 0;;) {
      out.resize(std::max<std::size_t>(2 * size, 4096));
      const ssize_t n = ::read(fd_, out.data() + size, out.size() - size);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail_with_errno(path_, "cannot be read", errno);
      size += static_cast<std::size_t>(n);
      if (n == 0) return out.resize(size), out;
    }
  }
  void sync() const {
    if (::fsync(fd_) != 0) fail_with_errno(path_, "cannot be synced to disk", errno);
  }

 private:
  fs::path path_;
  int fd_;
};

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

bool FileError::disk_is_full() const { return error_ == ENOSPC || error_ == EDQUOT; }

void fail_with_errno(const fs::path& file, const std::string& what, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  throw FileError(file.string() + ": " + what + ": " +
                      (full ? "the disk is full; free some space, or choose another workdir ("
                            : std::string()) +
                      std::strerror(error) + (full ? ")" : ""),
                  error);
}

void write_synced(const fs::path& file, std::string_view text) {
  const File out(file, O_WRONLY | O_CREAT | O_TRUNC, "cannot be written");
  out.write(text);
  out.sync();
}

void replace_file(const fs::path& file, std::string_view text) {
  // Not a name that programs look for: TensorBoard reads whatever has "tfevents" in its name.
  static std::atomic<unsigned> count = 0;
  const fs::path aside = folder_of(file) / (std::string(kAside) + std::to_string(::getpid()) + "-" +
                                            std::to_string(count.fetch_add(1)));
  try {
    write_synced(aside, text);
    rename_synced(aside, file);
  } catch (...) {
    ::unlink(aside.c_str());
    throw;
  }
}

std::string read_file(const fs::path& file) {
  return File(file, O_RDONLY, "cannot be read").read();
}

void sync_folder(const fs::path& folder) {
  File(folder, O_RDONLY | O_DIRECTORY, "cannot be synced to disk").sync();
}

void rename_synced(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail_with_errno(to, "cannot be replaced", errno);
  sync_folder(folder_of(to));
}

}  // namespace kd
