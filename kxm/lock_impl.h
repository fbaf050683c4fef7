// Locks of open files (OFD locks): a process hands them on to what it forks, and they are gone when
// the last of these has closed the file or died. Asking whether one is held never takes it.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace kxm {

// Of `count` bytes from `from`; 0: to the end, however far. False if another open file has it.
// Throws a base::FileError where the file system has no locks.
bool try_lock(int descriptor, const std::filesystem::path& file, off_t from = 0, off_t count = 0);
void wait_lock(int descriptor, const std::filesystem::path& file, off_t from, off_t count);
void unlock(int descriptor, off_t from, off_t count);

// Whether somebody else holds a lock; false if there is no such file.
bool is_locked(const std::filesystem::path& file);

// Whether a training holds this folder, whoever started it: it locks the folder itself (flock).
bool is_training_in(const std::filesystem::path& folder);

}  // namespace kxm
