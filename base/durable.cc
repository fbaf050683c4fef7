// Files that outlive a crash.
#include "base/durable.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <deque>
#include <string>

namespace base {

namespace fs = std::filesystem;

namespace {

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// Not made of the file's name, which programs look for: TensorBoard reads whatever has "tfevents"
// in it.
fs::path next_aside(const fs::path& file) {
  static std::atomic<unsigned> count = 0;
  return folder_of(file) / (std::string(kAside) + std::to_string(::getpid()) + "-" +
                            std::to_string(count.fetch_add(1)));
}

// Where the system shows open files, one without a name can be given one.
std::string shown_at(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

}  // namespace

Replacement::Replacement(const fs::path& file, Keep keep) : file_(file) {
  std::error_code error;
  const auto status = fs::status(file, error);
  if (fs::is_directory(status)) throw FileError(file, "cannot be written", EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    replaces_ = false;
    out_ = std::make_unique<File>(file, O_WRONLY);
    return;
  }
  if (keep == Keep::link_and_permissions && fs::is_symlink(file, error)) {
    const fs::path target = fs::weakly_canonical(file, error);
    if (!error) file_ = target;
  }
  open_aside(keep);
}

// Without a name where the system can do that: such a file goes with a killed process.
void Replacement::open_aside(Keep keep) {
  struct stat old;
  if (keep == Keep::link_and_permissions && ::stat(file_.c_str(), &old) == 0) {
    old_mode_ = old.st_mode & 07777;
  }
  const mode_t mode = old_mode_.value_or(0666);
  int descriptor = ::open(folder_of(file_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  if (descriptor >= 0 && ::access(shown_at(descriptor).c_str(), F_OK) != 0) {
    ::close(descriptor);
    descriptor = -1;
  }
  while (descriptor < 0) {
    const fs::path aside = next_aside(file_);
    descriptor = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0) {
      aside_ = aside;
    } else if (errno != EEXIST && errno != EINTR) {
      throw FileError(file_, "cannot be written", errno);
    }
  }
  out_ = std::make_unique<File>(descriptor, file_);
}

void Replacement::name_aside() {
  while (aside_.empty()) {
    const fs::path aside = next_aside(file_);
    if (::linkat(AT_FDCWD, shown_at(out_->descriptor()).c_str(), AT_FDCWD, aside.c_str(),
                 AT_SYMLINK_FOLLOW) == 0) {
      aside_ = aside;
    } else if (errno != EEXIST) {
      throw FileError(file_, "cannot be written", errno);
    }
  }
}

void Replacement::settle() {
  // The mask that new files are made with is not for an old one.
  if (old_mode_ && ::fchmod(out_->descriptor(), *old_mode_) != 0) {
    throw FileError(file_, "cannot be written", errno);
  }
  out_->sync();
  name_aside();
}

void Replacement::place() {
  if (::rename(aside_.c_str(), file_.c_str()) != 0) {
    throw FileError(file_, "cannot be replaced", errno);
  }
  aside_.clear();
}

void Replacement::commit() {
  if (!replaces_) return;
  settle();
  place();
  sync(folder_of(file_));
}

Replacement::~Replacement() {
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

void replace_file(const fs::path& file, std::string_view text, Keep keep) {
  Replacement out(file, keep);
  out.write(text);
  out.commit();
}

void replace_files(std::span<const FileText> files) {
  if (files.empty()) return;
  std::deque<Replacement> all;
  for (const FileText& each : files) {
    all.emplace_back(each.file).write(each.text);
    // All are on their way to the disk before the first is waited for.
    ::sync_file_range(all.back().out_->descriptor(), 0, 0, SYNC_FILE_RANGE_WRITE);
  }
  for (Replacement& each : all) {
    if (each.replaces_) each.settle();
  }
  for (Replacement& each : all) {
    if (each.replaces_) each.place();
  }
  sync(folder_of(files.back().file));
}

void replace_unsynced(const fs::path& file, std::string_view text) {
  const fs::path aside = file.parent_path() / (std::string(kAside) + file.filename().string());
  File(aside, O_WRONLY | O_CREAT | O_TRUNC).write(text);
  if (::rename(aside.c_str(), file.c_str()) != 0) {
    throw FileError(file, "cannot be replaced", errno);
  }
}

void write_synced(const fs::path& file, std::string_view text) {
  const File out(file, O_WRONLY | O_CREAT | O_TRUNC);
  out.write(text);
  out.sync();
}

void rename_synced(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw FileError(to, "cannot be replaced", errno);
  sync(folder_of(to));
}

void sync(const fs::path& file_or_folder) {
  try {
    File(file_or_folder, O_RDONLY).sync();
  } catch (const FileError& error) {
    // A folder that may be written to but not read, or a file system that syncs files only.
    const bool refused =
        error.code() == std::errc::permission_denied || error.code() == std::errc::invalid_argument;
    std::error_code ignored;
    if (refused && fs::is_directory(file_or_folder, ignored)) return;
    throw FileError(file_or_folder, "cannot be synced to disk", error.code().value());
  }
}

}  // namespace base
