// Locks of open files.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "kxm/lock_impl.h"

namespace kxm {

namespace fs = std::filesystem;

namespace {

struct flock range(short type, off_t from, off_t count) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = from;
  lock.l_len = count;
  return lock;
}

int uninterrupted(int descriptor, int command, struct flock& lock) {
  int result = ::fcntl(descriptor, command, &lock);
  while (result != 0 && errno == EINTR) result = ::fcntl(descriptor, command, &lock);
  return result;
}

}  // namespace

bool try_lock(int descriptor, const fs::path& file, off_t from, off_t count) {
  auto lock = range(F_WRLCK, from, count);
  if (uninterrupted(descriptor, F_OFD_SETLK, lock) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  throw base::FileError(file, "cannot be locked", errno);
}

void wait_lock(int descriptor, const fs::path& file, off_t from, off_t count) {
  auto lock = range(F_WRLCK, from, count);
  if (uninterrupted(descriptor, F_OFD_SETLKW, lock) == 0) return;
  throw base::FileError(file, "cannot be locked", errno);
}

void unlock(int descriptor, off_t from, off_t count) {
  auto lock = range(F_UNLCK, from, count);
  uninterrupted(descriptor, F_OFD_SETLK, lock);
}

bool is_locked(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return false;
    throw base::FileError(file, "cannot be read", errno);
  }
  const base::File opened(descriptor, file);
  auto lock = range(F_WRLCK, 0, 0);
  if (uninterrupted(descriptor, F_OFD_GETLK, lock) != 0) {
    throw base::FileError(file, "cannot be asked for its lock", errno);
  }
  return lock.l_type != F_UNLCK;
}

bool is_training_in(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const base::File opened(descriptor, folder);
  return ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace kxm
