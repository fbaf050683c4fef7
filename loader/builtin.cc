// Configs compiled into the program.
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "konfig/config_registry.h"
#include "konfig/suggest.h"
#include "konfig/sweep.h"
#include "loader/sources_impl.h"

namespace loader {
namespace {

namespace fs = std::filesystem;

// A config with a model of its own needs the engine. It is a library beside this one, opened when
// it is named: lib/libkd_config_gan.so.
constexpr std::string_view kPrefix = "libkd_config_", kSuffix = ".so";

fs::path library_folder() {
  Dl_info info = {};
  ::dladdr(reinterpret_cast<const void*>(&library_folder), &info);
  return fs::path(info.dli_fname ? info.dli_fname : "").parent_path();
}

fs::path library_of(const std::string& name) {
  return library_folder() / (std::string(kPrefix) + name + std::string(kSuffix));
}

bool is_name(const std::string& name) {
  return !name.empty() && name.find('/') == name.npos && name.find('.') == name.npos;
}

const konfig::ConfigEntry* find_known(const std::string& name) {
  if (auto* entry = konfig::find_config(name)) return entry;
  if (!has_types(name)) return nullptr;
  std::string error;
  if (!open_library(library_of(name).string(), error)) {
    throw konfig::Error(konfig::ErrorKind::unsupported,
                        "'" + name + "' cannot be loaded: " + error);
  }
  return konfig::find_config(name);
}

const konfig::ConfigEntry& find(const std::string& name) {
  if (auto* entry = find_known(name)) return *entry;
  const auto known = names();
  std::string text = "'" + name + "': no config of this name" + konfig::did_you_mean(name, known);
  std::error_code error;
  for (auto* extension : {".cc", ".py", ".json", ".yaml", ".yml"}) {
    if (std::filesystem::exists(name + extension, error)) {
      text += "; there is a file '" + name + extension + "'";
      break;
    }
  }
  std::string list;
  for (auto& one : known) list += (list.empty() ? "" : ", ") + one;
  text += " (in this program: " + (list.empty() ? "none" : list) +
          "; files end in .cc, .py, .json or .yaml)";
  throw konfig::Error(konfig::ErrorKind::key, text);
}

}  // namespace

bool has_types(const std::string& source) {
  std::error_code ignored;
  return source.ends_with(".cc") || (is_name(source) && fs::exists(library_of(source), ignored));
}

std::vector<std::string> names() {
  std::vector<std::string> out = konfig::all_configs();
  std::error_code error;
  for (fs::directory_iterator it(library_folder(), error), end; !error && it != end;
       it.increment(error)) {
    const std::string file = it->path().filename().string();
    if (!file.starts_with(kPrefix) || !file.ends_with(kSuffix)) continue;
    const std::string name =
        file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size());
    if (!konfig::find_config(name)) out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

konfig::ConfigDict load_builtin(const Request& request) {
  auto& entry = find(request.source);
  return entry.make(arguments_of(request, entry.args));
}

Sweeps builtin_sweeps(const Request& request) {
  find(request.source);
  Sweeps out;
  for (auto& [name, function] : konfig::find_sweeps(request.source)) out[name] = function();
  return out;
}

}  // namespace loader
