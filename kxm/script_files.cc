#include <algorithm>
#include <fstream>
#include <string>

#include "kxm/script_files_impl.h"

namespace kxm {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMost = 1000;

bool is_module(const fs::directory_entry& entry) {
  std::error_code unknown;
  return entry.is_regular_file(unknown) && entry.path().extension() == ".py";
}

// Not those of an environment, of results or of tools.
bool holds_modules(const fs::directory_entry& entry) {
  std::error_code unknown;
  const fs::path& folder = entry.path();
  if (!entry.is_directory(unknown) || entry.is_symlink(unknown)) return false;
  if (folder.filename().string().starts_with(".")) return false;
  if (fs::exists(folder / "pyvenv.cfg", unknown)) return false;
  const fs::directory_iterator entries(folder, unknown);
  return std::any_of(begin(entries), end(entries), is_module);
}

void add_modules(const fs::path& folder, bool deep, std::vector<fs::path>& out) {
  std::error_code unreadable;
  for (fs::directory_iterator it(folder, unreadable), end; !unreadable && it != end;
       it.increment(unreadable)) {
    if (out.size() > kMost) return;
    if (is_module(*it)) out.push_back(it->path());
    if (deep && holds_modules(*it)) add_modules(it->path(), deep, out);
  }
}

}  // namespace

bool is_python(const fs::path& program) {
  if (program.extension() == ".py") return true;
  std::ifstream file(program);
  std::string line(128, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line = line.substr(0, line.find('\n'));
  return line.starts_with("#!") && line.find("python") != line.npos;
}

std::vector<KeptFile> script_files(const fs::path& given) {
  const fs::path script = fs::canonical(given), folder = script.parent_path();
  std::vector<fs::path> modules;
  add_modules(folder, /*deep=*/true, modules);
  if (modules.size() > kMost) {
    modules.clear();
    add_modules(folder, /*deep=*/false, modules);
  }
  std::ranges::sort(modules);
  std::vector<KeptFile> out = {{script.filename().string(), script.string()}};
  for (const fs::path& module : modules) {
    if (module != script)
      out.push_back({module.lexically_relative(folder).string(), module.string()});
  }
  return out;
}

}  // namespace kxm
