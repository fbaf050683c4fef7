// Folders that come and go as a whole.
#include "base/whole_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "base/durable.h"

namespace base {

namespace fs = std::filesystem;

namespace {

// What stands between the name and the process's number.
constexpr std::string_view kWriting = ".writing-", kRemoving = ".removing-";

// "a/b/" is the folder b in a, too.
fs::path without_slash(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

fs::path marked(const fs::path& folder, std::string_view mark) {
  return folder.string() + std::string(mark) + std::to_string(::getpid());
}

// Removes a folder at the end unless it got its name.
struct Aside {
  fs::path path;
  bool done = false;
  explicit Aside(fs::path at) : path(std::move(at)) {}
  ~Aside() {
    std::error_code ignored;
    if (!done) fs::remove_all(path, ignored);
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
};

void remove_tree(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) throw FileError(folder, "cannot be removed", error.value());
}

// Returns where it is now; empty if there is none.
fs::path out_of_sight(const fs::path& folder) {
  fs::path aside = marked(folder, kRemoving);
  if (::rename(folder.c_str(), aside.c_str()) == 0) return aside;
  if (errno == ENOENT) return {};
  throw FileError(folder, "cannot be removed", errno);
}

// One folder cannot take the place of another at once.
void replace(const fs::path& aside, const fs::path& folder) {
  const fs::path old = out_of_sight(folder);
  try {
    rename_synced(aside, folder);
  } catch (...) {
    if (!old.empty()) std::rename(old.c_str(), folder.c_str());
    throw;
  }
  if (!old.empty()) remove_tree(old);
}

}  // namespace

void write_folder(const fs::path& path, const std::function<void(const fs::path&)>& fill,
                  const FolderOptions& options) {
  const fs::path folder = without_slash(path), writing = marked(folder, kWriting);
  const bool replaces = options.existing == Existing::replace;
  if (replaces) remove_tree(writing);
  Aside aside(writing);  // removed if it cannot be made, too: what is in the way goes
  if (::mkdir(writing.c_str(), options.mode) != 0) {
    throw FileError(writing, "cannot be made", errno);
  }
  fill(writing);
  sync(writing);
  if (replaces) {
    replace(writing, folder);
  } else {
    rename_synced(writing, folder);
  }
  aside.done = true;
}

bool rename_first(const fs::path& from, const fs::path& to) {
  try {
    rename_synced(from, to);
    return true;
  } catch (const FileError& error) {
    if (error.code() != std::errc::file_exists && error.code() != std::errc::directory_not_empty) {
      throw;
    }
    return false;
  }
}

void remove_folder(const fs::path& path) {
  const fs::path aside = out_of_sight(without_slash(path));
  if (!aside.empty()) remove_tree(aside);
}

std::string leftover_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  for (const std::string_view mark : {kWriting, kRemoving}) {
    const std::size_t at = name.rfind(mark);
    if (at == name.npos) continue;
    const std::string number = name.substr(at + mark.size());
    if (!number.empty() && number.find_first_not_of("0123456789") == number.npos) {
      return name.substr(0, at);
    }
  }
  return "";
}

}  // namespace base
