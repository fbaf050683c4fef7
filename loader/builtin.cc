// Configs compiled into the program.
#include <filesystem>

#include "base/join.h"
#include "konfig/config_registry.h"
#include "konfig/suggest.h"
#include "konfig/sweep.h"
#include "loader/sources_impl.h"

namespace loader {
namespace {

const konfig::ConfigEntry& find(const std::string& name) {
  if (auto* entry = konfig::find_config(name)) return *entry;
  const auto known = konfig::all_configs();
  std::string text = "'" + name + "': no config of this name" + konfig::did_you_mean(name, known);
  std::error_code error;
  for (auto* extension : {".cc", ".py", ".json", ".yaml", ".yml"}) {
    if (std::filesystem::exists(name + extension, error)) {
      text += "; there is a file '" + name + extension + "'";
      break;
    }
  }
  text += " (in this program: " + (known.empty() ? "none" : base::join(known, ", ")) +
          "; files end in .cc, .py, .json or .yaml)";
  throw konfig::Error(konfig::ErrorKind::key, text);
}

}  // namespace

konfig::ConfigDict load_builtin(const Request& request) {
  auto& entry = find(request.source);
  return entry.make(arguments_of(request, entry.args));
}

Sweeps builtin_sweeps(const Request& request, const WantedSweeps& wanted) {
  find(request.source);
  Sweeps out;
  for (auto& [name, function] : konfig::find_sweeps(request.source)) {
    out[name] = wanted.contain(name) ? called_sweep(function) : Sweep();
  }
  return out;
}

}  // namespace loader
