// Files by their descriptors: whole reads and writes, and errors that name the file.
//
//   const std::string text = base::read_file("runs/a/config.json");
//   base::File log("runs/a/log", O_WRONLY | O_CREAT | O_APPEND);
//   log.write("step 1\n");
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace base {

// What cannot be done with a file, and why: code() is the errno, what() is
// "runs/a/x.json: cannot be written: No space left on device".
class FileError : public std::system_error {
 public:
  FileError(std::filesystem::path file, std::string problem, int error);
  const std::filesystem::path& path() const { return path_; }
  const std::string& problem() const { return problem_; }  // "cannot be written"

 private:
  std::filesystem::path path_;
  std::string problem_;
};

// An open file that closes itself. Interrupted calls are repeated, half ones continued; what fails
// throws a FileError.
class File {
 public:
  // `flags` are those of open(2), `mode` is for a new file.
  File(std::filesystem::path path, int flags, mode_t mode = 0666);
  // Takes an open descriptor over; `path` is for errors.
  File(int descriptor, std::filesystem::path path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int descriptor() const { return descriptor_; }
  std::string read() const;  // from here to the end
  // Returns the number of bytes read: less than n at the end of the file only.
  std::uint64_t read_at(std::uint64_t offset, void* to, std::uint64_t n) const;
  void write(std::string_view bytes) const;
  void sync() const;  // to disk

 private:
  std::filesystem::path path_;
  int descriptor_;
};

// The whole content; a FileError says why it cannot be read.
std::string read_file(const std::filesystem::path& file);
// The same, and nothing where it cannot be read.
std::optional<std::string> try_read_file(const std::filesystem::path& file);

}  // namespace base
