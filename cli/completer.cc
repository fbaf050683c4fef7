#include "cli/completer.h"

#include <filesystem>
#include <set>

#include "cli/complete_config.h"
#include "cli/symbols.h"
#include "kxm/experiments.h"
#include "loader/loader.h"

namespace cli {
namespace {

void add_files(std::vector<Candidate>& out, const std::string& typed,
               const std::function<bool(const std::filesystem::path&)>& fits) {
  namespace fs = std::filesystem;
  const std::string folder = typed.substr(0, typed.rfind('/') + 1);
  std::error_code error;
  for (auto it = fs::directory_iterator(folder.empty() ? "." : folder, error);
       !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with('.') && typed == folder) continue;
    std::error_code unknown;
    if (it->is_directory(unknown)) {
      out.push_back({folder + name + "/"});
    } else if (fits(it->path())) {
      out.push_back({folder + name});
    }
  }
}

void add_files(std::vector<Candidate>& out, const std::string& typed,
               const std::set<std::string>& extensions) {
  add_files(out, typed, [&](const std::filesystem::path& file) {
    return extensions.contains(file.extension().string());
  });
}

std::vector<Candidate> in_config(const Typing& typing,
                                 std::vector<Candidate> (*find)(Session&, const std::string&)) {
  try {
    Session session(typing.before);
    if (session.has_config()) return find(session, typing.value);
  } catch (const std::exception&) {
    // Completion never complains.
  }
  return {};
}

}  // namespace

std::vector<Candidate> config_sources(const Typing& typing) {
  std::vector<Candidate> out;
  for (auto& name : loader::names()) out.push_back({name, "compiled in"});
  add_files(out, typing.value, {".cc", ".py", ".json", ".yaml", ".yml"});
  return out;
}

std::vector<Candidate> experiment_sources(const Typing& typing) {
  std::vector<Candidate> out;
  for (auto& name : kxm::experiment_names()) out.push_back({name, "compiled in"});
  add_files(out, typing.value, {".cc", ".py", ".json", ".yaml", ".yml"});
  return out;
}

std::vector<Candidate> config_files(const Typing& typing) {
  std::vector<Candidate> out;
  add_files(out, typing.value, {".json", ".yaml", ".yml"});
  return out;
}

std::vector<Candidate> cc_files(const Typing& typing) {
  std::vector<Candidate> out;
  add_files(out, typing.value, {".cc", ".cpp", ".cxx"});
  return out;
}

std::vector<Candidate> files(const Typing& typing) {
  std::vector<Candidate> out;
  add_files(out, typing.value, [](auto&) { return true; });
  return out;
}

std::vector<Candidate> folders(const Typing& typing) {
  std::vector<Candidate> out;
  add_files(out, typing.value, [](auto&) { return false; });
  return out;
}

std::vector<Candidate> registered_types(const Typing&) {
  std::vector<Candidate> out;
  for (auto& group : symbol_groups()) {
    for (auto* symbol : group.symbols) {
      out.push_back({konfig::shorten_qualname(symbol->qualname), group.name});
    }
  }
  return out;
}

std::vector<Candidate> config_paths(const Typing& typing) {
  return in_config(typing, complete_path);
}
std::vector<Candidate> config_sweeps(const Typing& typing) {
  return in_config(typing, complete_sweep);
}
std::vector<Candidate> config_settings(const Typing& typing) {
  return in_config(typing, complete_override);
}
std::vector<Candidate> config_switches(const Typing& typing) {
  return in_config(typing, complete_switch);
}

}  // namespace cli
