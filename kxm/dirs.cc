#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>
#include <filesystem>

#include "konfig/implement.h"
#include "kxm/dirs_impl.h"

namespace kxm::detail {
namespace {

constexpr std::size_t kMaxName = 255;  // bytes, of one part of a path

std::string fitting_name(std::string name) {
  if (name.size() <= kMaxName) return name;
  char hash[18];
  std::snprintf(hash, sizeof hash, "~%016llx",
                static_cast<unsigned long long>(XXH3_64bits(name.data(), name.size())));
  std::size_t end = kMaxName - 17;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end) + hash;
}

konfig::Error within(const konfig::Error& e, const char* field) {
  return {e.kind(), std::string(field) + ": " + e.what()};
}

}  // namespace

std::string fitting_path(const std::string& path) {
  if (path.size() <= kMaxName) return path;
  std::string out;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    out += fitting_name(path.substr(begin, end - begin));
    if (end < path.size()) out += '/';
    begin = end + 1;
  }
  return out;
}

std::string plain_path(const std::string& path) {
  const std::filesystem::path out = std::filesystem::path(path).lexically_normal();
  return (out.has_filename() || !out.has_relative_path() ? out : out.parent_path()).string();
}

Dirs::Dirs(std::optional<std::string> root_dir, konfig::Poly<DirFormat> format, DirContext context)
    : root_dir_(std::move(root_dir)), format_(std::move(format)), context_(std::move(context)) {
  wu_dirname_ = konfig::ops_of(format_).wu_dirname(format_.object().get());
}

void Dirs::set_taken(const std::vector<std::string>& dirs) {
  taken_.insert(dirs.begin(), dirs.end());
}

const std::string& Dirs::xp_dir() {
  if (xp_dir_) return *xp_dir_;
  if (!root_dir_) {
    throw konfig::Error(konfig::ErrorKind::value,
                        "xp.root_dir: not set, but a job uses the folder of its unit or of the "
                        "experiment; set it, for example --xp.root_dir=runs");
  }
  std::string root, name;
  try {
    root = format_dir(*root_dir_, format_, context_);
  } catch (const konfig::Error& e) {
    throw within(e, "xp.root_dir");
  }
  try {
    name =
        format_dir(konfig::ops_of(format_).xp_dirname(format_.object().get()), format_, context_);
  } catch (const konfig::Error& e) {
    throw within(e, "xp.subdir_format.xp_dirname");
  }
  // Shells leave both as they are, and a folder of that name is not what is meant.
  const bool home = root == "~" || root.starts_with("~/");
  if (!base_.empty() && (home || root.find("://") != root.npos)) {
    throw konfig::Error(konfig::ErrorKind::value,
                        "xp.root_dir: '" + root + "' is not a folder of this machine; " +
                            (home ? "write $HOME for ~" : "mount it first"));
  }
  xp_dir_ = placed(fitting_path(join_dirs(root, name)));
  return *xp_dir_;
}

std::string Dirs::placed(const std::string& dir) const {
  return base_.empty() ? dir : plain_path(join_dirs(base_, dir));
}

bool Dirs::inside(const std::string& dir) const {
  return xp_dir_ && dir.starts_with(*xp_dir_ + "/");
}

std::string Dirs::wu_dir(int wid, const konfig::Dict& sweep_kwargs) {
  const std::string& parent = xp_dir();
  context_.wid = wid;
  context_.sweep_kwargs = &sweep_kwargs;
  std::string name;
  try {
    name = fitting_path(format_dir(wu_dirname_, format_, context_));
  } catch (const konfig::Error& e) {
    context_.wid = 0;
    throw within(e, "xp.subdir_format.wu_dirname");
  }
  context_.wid = 0;
  if (name.empty() || name == ".") name = std::to_string(wid);
  std::string dir = placed(join_dirs(parent, name));
  while (!taken_.insert(dir).second) dir = fitting_path(dir + "-" + std::to_string(wid));
  return dir;
}

}  // namespace kxm::detail
