#include "loader/build_info_impl.h"

#include <dlfcn.h>

#include <cstdlib>
#include <sstream>

namespace loader {
namespace {

namespace fs = std::filesystem;

// The folder of this library: an installed copy may be moved as a whole.
fs::path library_dir() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&library_dir), &info) || !info.dli_fname) return {};
  std::error_code error;
  auto path = fs::canonical(info.dli_fname, error);
  return error ? fs::path() : path.parent_path();
}

// `installed`, as seen from the library, where it holds `file`; else `source`.
fs::path find_root(const char* installed, const std::string& file, const char* source) {
  auto root = (library_dir() / installed).lexically_normal();
  std::error_code error;
  return fs::exists(root / file, error) ? root : fs::path(source);
}

}  // namespace

std::string environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

std::string compiler_name() {
  auto chosen = environment("KD_CXX");
  return chosen.empty() ? KD_LOADER_CXX : chosen;
}

std::vector<std::string> build_flags() {
  std::istringstream words(KD_LOADER_CXX_FLAGS);
  std::vector<std::string> out;
  for (std::string word; words >> word;) out.push_back(word);
  out.insert(out.end(), {"-isystem", KD_LOADER_TORCH_INCLUDE, "-DAT_PER_OPERATOR_HEADERS"});
  return out;
}

std::string umbrella_header() { return "kd/kd.h"; }
std::string model_header() { return "kd/model.h"; }

fs::path include_root() {
  static const auto root =
      find_root(KD_LOADER_INCLUDE_DIR, umbrella_header(), KD_LOADER_SOURCE_DIR);
  return root;
}

std::vector<fs::path> include_dirs() {
  if (include_root() != fs::path(KD_LOADER_SOURCE_DIR)) return {include_root()};
  return {include_root(), KD_LOADER_GENERATED_DIR};
}

fs::path python_dir() {
  static const auto root =
      find_root(KD_LOADER_PYTHON_DIR, "kd_config_loader.py", KD_LOADER_SOURCE_DIR "/python");
  return root;
}

}  // namespace loader
