// Files by their descriptors.
#include "base/file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace base {

namespace fs = std::filesystem;

namespace {

// A call of the system, repeated while signals interrupt it.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

int open(const fs::path& path, int flags, mode_t mode) {
  return uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); });
}

}  // namespace

FileError::FileError(fs::path file, std::string problem, int error)
    : std::system_error(error, std::generic_category(), file.string() + ": " + problem),
      path_(std::move(file)),
      problem_(std::move(problem)) {}

File::File(fs::path path, int flags, mode_t mode)
    : path_(std::move(path)), descriptor_(open(path_, flags, mode)) {
  const bool reads = (flags & O_ACCMODE) == O_RDONLY;
  if (descriptor_ < 0) {
    throw FileError(path_, reads ? "cannot be read" : "cannot be written", errno);
  }
}

File::File(int descriptor, fs::path path) : path_(std::move(path)), descriptor_(descriptor) {}

File::~File() { ::close(descriptor_); }

std::string File::read() const {
  std::string out;
  for (std::size_t size = 0;;) {
    out.resize(std::max<std::size_t>(2 * size, 4096));
    const auto n =
        uninterrupted([&] { return ::read(descriptor_, out.data() + size, out.size() - size); });
    if (n < 0) throw FileError(path_, "cannot be read", errno);
    size += static_cast<std::size_t>(n);
    if (n == 0) return out.resize(size), out;
  }
}

std::uint64_t File::read_at(std::uint64_t offset, void* to, std::uint64_t n) const {
  std::uint64_t done = 0;
  while (done < n) {
    const auto got = uninterrupted([&] {
      return ::pread(descriptor_, static_cast<char*>(to) + done, n - done,
                     static_cast<off_t>(offset + done));
    });
    if (got < 0) throw FileError(path_, "cannot be read", errno);
    if (got == 0) break;
    done += static_cast<std::uint64_t>(got);
  }
  return done;
}

void File::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto n = uninterrupted([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
    if (n < 0) throw FileError(path_, "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void File::sync() const {
  if (uninterrupted([&] { return ::fsync(descriptor_); }) < 0) {
    throw FileError(path_, "cannot be synced to disk", errno);
  }
}

std::string read_file(const fs::path& file) { return File(file, O_RDONLY).read(); }

std::optional<std::string> try_read_file(const fs::path& file) {
  const int descriptor = open(file, O_RDONLY, 0);
  if (descriptor < 0) return std::nullopt;
  try {
    return File(descriptor, file).read();
  } catch (const FileError&) {
    return std::nullopt;
  }
}

}  // namespace base
