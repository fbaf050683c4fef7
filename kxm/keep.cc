// Files kept by content.
#include "kxm/keep.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "base/durable.h"
#include "base/file.h"
#include "base/temp_folder.h"
#include "base/whole_folder.h"
#include "konfig/error.h"
#include "konfig/suggest.h"
#include "loader/hash.h"

namespace kxm {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

namespace {

bool is_executable(const fs::path& file) {
  struct stat found;
  return ::stat(file.c_str(), &found) == 0 && (found.st_mode & 0111) != 0;
}

std::string hash_of(const fs::path& path) { return loader::hash(base::File(path, O_RDONLY)); }

// The file system shares the blocks of both where it can.
void copy_whole(const fs::path& from, const fs::path& to) {
  const base::File in(from, O_RDONLY);
  const base::File out(to, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (::ioctl(out.descriptor(), FICLONE, in.descriptor()) != 0) {
    std::string block(1 << 20, '\0');
    for (std::uint64_t at = 0;;) {
      const auto n = in.read_at(at, block.data(), block.size());
      out.write(std::string_view(block).substr(0, n));
      at += n;
      if (n < block.size()) break;
    }
  }
  // Nobody edits it by mistake.
  ::fchmod(out.descriptor(), is_executable(from) ? 0555 : 0444);
  out.sync();
}

void check_name(const std::string& name) {
  const fs::path path(name);
  const bool leads_out =
      std::any_of(path.begin(), path.end(), [](auto& part) { return part == ".."; });
  if (!name.empty() && !path.is_absolute() && !leads_out && path.has_filename()) return;
  throw Error(
      ErrorKind::value,
      "files: '" + name + "' cannot be a file's name; use a relative path, such as data/x.txt");
}

}  // namespace

Snapshot::Snapshot(const fs::path& store, std::vector<KeptFile> files) : files_(std::move(files)) {
  std::sort(files_.begin(), files_.end(),
            [](const KeptFile& a, const KeptFile& b) { return a.name < b.name; });
  std::string all;
  std::map<std::string, std::string> known;  // hashes by source
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const std::string &name = files_[i].name, &source = files_[i].source;
    check_name(name);
    if (i > 0 && files_[i - 1].name == name) {
      throw Error(ErrorKind::value, "files: '" + name + "' is given twice: " +
                                        files_[i - 1].source + " and " + source);
    }
    if (const auto& content = files_[i].content) {
      hashes_.push_back(loader::hash(*content));
      all += name + '\0' + hashes_.back() + '-' + '\0';
      continue;
    }
    std::error_code error;
    if (!fs::is_regular_file(source, error)) {
      throw Error(ErrorKind::value,
                  "files: '" + name + "': " + source +
                      (fs::exists(source, error) ? " is not a file" : " does not exist"));
    }
    std::string& hash = known[source];
    if (hash.empty()) hash = hash_of(source);
    hashes_.push_back(hash);
    all += name + '\0' + hashes_.back() + (is_executable(source) ? "x" : "-") + '\0';
  }
  folder_ = store / loader::hash(all).substr(0, 16);
}

std::string Snapshot::path(std::string_view name) const {
  std::vector<std::string> names;
  for (const KeptFile& file : files_) {
    if (file.name == name) return folder_ / file.name;
    names.push_back(file.name);
  }
  throw Error(ErrorKind::key,
              "files: there is no '" + std::string(name) + "'" + konfig::did_you_mean(name, names));
}

void Snapshot::write() const {
  std::error_code error;
  if (files_.empty() || fs::exists(folder_, error)) return;
  fs::create_directories(folder_.parent_path(), error);
  if (error) throw base::FileError(folder_.parent_path(), "cannot be made", error.value());
  const base::TempFolder aside(base::kAside, folder_.parent_path());
  const fs::path whole = aside / "files";
  fs::create_directory(whole);
  std::map<std::string, fs::path> copies;  // a library has several names
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const fs::path to = whole / files_[i].name;
    fs::create_directories(to.parent_path());
    if (files_[i].content) {
      base::File out(to, O_WRONLY | O_CREAT | O_EXCL, 0444);
      out.write(*files_[i].content);
      out.sync();
      continue;
    }
    const auto [copy, first] = copies.try_emplace(files_[i].source, to);
    if (!first) {
      fs::create_hard_link(copy->second, to, error);
      if (!error) continue;  // else the file system has none
    }
    copy_whole(files_[i].source, to);
    if (hash_of(to) != hashes_[i]) {
      throw Error(ErrorKind::value,
                  files_[i].source + ": it was changed during the launch; launch again");
    }
  }
  base::sync(whole);
  base::rename_first(whole, folder_);  // whoever was first had the same files
}

}  // namespace kxm
