#include "loader/cache_impl.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <sstream>

#include "base/durable.h"
#include "base/number_in.h"
#include "base/whole_folder.h"
#include "konfig/error.h"
#include "loader/build_info_impl.h"
#include "loader/files_impl.h"
#include "loader/hash.h"

namespace loader {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifest = ".deps";
constexpr char kHeader[] = "kauldron cache 1";

std::optional<fs::path> user_cache_dir() {
  const fs::path xdg = environment("XDG_CACHE_HOME");
  if (xdg.is_absolute()) return xdg;  // XDG: a relative path is to be ignored
  fs::path home = environment("HOME");
  if (home.empty()) {
    const passwd* user = ::getpwuid(::geteuid());
    if (user && user->pw_dir) home = user->pw_dir;
  }
  std::error_code error;
  if (!home.is_absolute() || !fs::is_directory(home, error)) return std::nullopt;
  return home / ".cache";
}

// Creates it for this user alone where it is missing.
void make_private(const fs::path& dir) {
  std::error_code error;
  if (fs::exists(dir, error)) return;
  if (dir.has_parent_path() && dir.parent_path() != dir) make_private(dir.parent_path());
  ::mkdir(dir.c_str(), 0700);
}

// Nobody else may put libraries there for us to load.
bool is_ours(const fs::path& dir) {
  struct stat info;
  return ::lstat(dir.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() &&
         (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

CacheLimits limits_from_environment() {
  CacheLimits limits;
  const auto text = environment("KD_CACHE_MAX_MB");
  if (text.empty()) return limits;
  const auto megabytes = base::number_in<unsigned>(text);
  if (!megabytes) {
    throw konfig::Error(konfig::ErrorKind::value,
                        "KD_CACHE_MAX_MB=" + text + ": expected a whole number of megabytes");
  }
  limits.bytes = static_cast<std::uintmax_t>(*megabytes) << 20;
  return limits;
}

void touch(const fs::path& path) { ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

// How long ago it was last used.
std::chrono::seconds age(const fs::path& path) {
  std::error_code error;
  const auto time = fs::last_write_time(path, error);
  if (error) return std::chrono::seconds(0);
  return std::chrono::duration_cast<std::chrono::seconds>(fs::file_time_type::clock::now() - time);
}

std::uintmax_t size_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const auto size = fs::file_size(path, error);
    return error ? 0 : size;
  }
  std::uintmax_t out = 0;
  for (const auto& entry : fs::directory_iterator(path, error)) out += size_of(entry.path());
  return out;
}

void sync_all(const fs::path& path) {
  if (fs::is_directory(path)) {
    for (const auto& entry : fs::directory_iterator(path)) sync_all(entry.path());
  }
  base::sync(path);
}

}  // namespace

Cache::Cache(fs::path dir, CacheLimits limits) : dir_(std::move(dir)), limits_(limits) {
  make_private(dir_);
  writable_ = ::access(dir_.c_str(), W_OK | X_OK) == 0;
}

Cache Cache::open() {
  const auto limits = limits_from_environment();
  if (auto dir = user_cache_dir()) return Cache(*dir / "kauldron" / "configs", limits);
  const auto dir = fs::temp_directory_path() / ("kauldron-" + std::to_string(::geteuid()));
  make_private(dir);
  if (is_ours(dir)) return Cache(dir / "configs", limits);
  Cache none(dir / "configs", limits);
  none.dir_.clear();  // someone else's: neither read nor write
  none.writable_ = false;
  return none;
}

std::unique_ptr<base::TempFolder> Cache::workspace() {
  if (!writable_) return nullptr;
  try {
    return std::make_unique<base::TempFolder>(kTempPrefix, dir_);
  } catch (const fs::filesystem_error&) {
    writable_ = false;
    return nullptr;
  }
}

std::optional<std::string> Cache::name_of(const std::string& key) const {
  if (dir_.empty()) return std::nullopt;
  const auto text = base::try_read_file(dir_ / (key + std::string(kManifest)));
  if (!text) return std::nullopt;
  std::istringstream lines(*text);
  std::string header, name, hash, path;
  if (!std::getline(lines, header) || header != kHeader || !std::getline(lines, name)) {
    return std::nullopt;
  }
  while (lines >> hash && lines.get() == ' ' && std::getline(lines, path)) {
    if (hash_file(path) != hash) return std::nullopt;
  }
  return name;
}

std::vector<std::string> Cache::sources_of(const std::string& key) const {
  const auto text = base::try_read_file(dir_ / (key + std::string(kManifest)));
  std::istringstream lines(text.value_or(""));
  std::string header, name, hash, path;
  std::getline(lines, header);
  std::getline(lines, name);
  std::vector<std::string> out;
  while (lines >> hash && lines.get() == ' ' && std::getline(lines, path)) out.push_back(path);
  return out;
}

std::optional<fs::path> Cache::find(const std::string& name) const {
  auto path = dir_ / name;
  std::error_code error;
  if (name.empty() || !fs::exists(path, error)) return std::nullopt;
  touch(path);
  return path;
}

std::optional<fs::path> Cache::store(const std::string& key, const std::string& prefix,
                                     const std::string& suffix, const fs::path& made,
                                     const std::vector<Dependency>& dependencies,
                                     const base::TempFolder& workspace) {
  if (!writable_) return std::nullopt;
  std::string list;
  for (auto& [path, hash] : dependencies) {
    if (path.find('\n') != path.npos) return std::nullopt;
    list += hash + ' ' + path + '\n';
  }
  const auto name = prefix + hash(key + '\n' + list) + suffix;
  const auto result = dir_ / name;
  const auto manifest = workspace.path() / "manifest";
  try {
    base::write_synced(manifest, std::string(kHeader) + '\n' + name + '\n' + list);
    sync_all(made);
    base::rename_first(made, result);  // a folder that is there is the same, of a faster process
  } catch (const std::system_error&) {
    writable_ = false;
    return std::nullopt;
  }
  try {
    base::rename_synced(manifest, dir_ / (key + std::string(kManifest)));
  } catch (const base::FileError&) {
    // The result is good all the same; the next process just does not find it.
  }
  prune(name);
  return result;
}

void Cache::prune(const std::string& keep) const {
  using namespace std::chrono_literals;
  struct Entry {
    fs::path path;
    std::uintmax_t size;
    fs::file_time_type used;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  std::error_code error;
  std::vector<fs::path> rubbish;
  for (const auto& found : fs::directory_iterator(dir_, error)) {
    const auto& path = found.path();
    const auto name = path.filename().string();
    if (name.starts_with(kTempPrefix) || !base::leftover_of(path).empty()) {
      if (age(path) > 1h) rubbish.push_back(path);
    } else if (name.ends_with(kManifest)) {
      if (age(path) > 24h * 30) rubbish.push_back(path);
    } else if (path.extension() != ".lock") {
      entries.push_back({path, size_of(path), fs::last_write_time(path, error)});
      total += entries.back().size;
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  auto count = entries.size();
  for (auto& entry : entries) {
    if (total <= limits_.bytes && count <= limits_.entries) break;
    if (entry.path.filename() == keep) continue;
    try {
      base::remove_folder(entry.path);  // of a file, too
    } catch (const base::FileError&) {
      // Another process removes it.
    }
    total -= entry.size;
    --count;
  }
  for (auto& path : rubbish) fs::remove_all(path, error);
}

std::shared_ptr<void> Cache::lock(const std::string& name) const {
  if (!writable_) return nullptr;
  const int fd = ::open((dir_ / (name + ".lock")).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return nullptr;
  ::flock(fd, LOCK_EX);  // gone with the process, however it ends
  return std::shared_ptr<void>(nullptr, [fd](void*) { ::close(fd); });
}

}  // namespace loader
