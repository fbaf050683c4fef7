#include "kxm/remove_files.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/real_path.h"
#include "konfig/error.h"
#include "kxm/lock_impl.h"
#include "kxm/state_impl.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

// The place of an entry itself: a link stays a link.
fs::path place_of(const fs::path& path) {
  const fs::path plain = (path / "").lexically_normal().parent_path();  // without a last slash
  return base::real_path(plain.parent_path()) / plain.filename();
}

// Is `inner` in `outer`, or the same?
bool holds(const fs::path& outer, const fs::path& inner) {
  const auto [end, rest] = std::ranges::mismatch(outer, inner);
  return end == outer.end();
}

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
  throw Error(ErrorKind::unsupported, folder.string() + " is not removed: " + why +
                                          "; remove by hand what is not needed any more");
}

// Neither the program nor the user can do without these.
void check_needed(const fs::path& folder, const State& state) {
  std::error_code error;
  const char* home = std::getenv("HOME");
  const std::pair<fs::path, const char*> needed[] = {
      {fs::current_path(error), "the current folder"},
      {home ? fs::path(home) : fs::path(), "the home folder"},
      {state.folder(), "the state of kd"}};
  for (auto& [path, name] : needed) {
    if (!path.empty() && holds(folder, base::real_path(path))) {
      refuse(folder, std::string("it is or holds ") + name);
    }
  }
}

// Folders of other experiments.
struct Others {
  std::vector<std::pair<fs::path, int>> experiments = {};  // with their numbers
  std::vector<std::pair<fs::path, Address>> units = {};    // not in that of their experiment
};

Others others_of(const State& state, int xid) {
  Others out;
  std::map<int, fs::path> dirs;
  for (const ExperimentRow& other : state.experiments()) {
    if (other.xid == xid || other.dir.empty()) continue;
    out.experiments.emplace_back(place_of(other.dir), other.xid);
    dirs[other.xid] = fs::path(other.dir).lexically_normal();
  }
  for (auto& [dir, unit] : state.impl().unit_dirs()) {
    if (unit.xid == xid) continue;
    const auto home = dirs.find(unit.xid);
    const bool inside = home != dirs.end() && holds(home->second, fs::path(dir).lexically_normal());
    if (!inside) out.units.emplace_back(place_of(dir), unit);
  }
  return out;
}

void check_others(const fs::path& folder, const Others& others, const State& state) {
  const auto refuse_shared = [&](const Address& unit) {
    refuse(folder, "it belongs to " + to_text(unit) + ", too");
  };
  for (auto& [theirs, unit] : others.units) {
    if (holds(folder, theirs)) refuse_shared(unit);
  }
  for (auto& [theirs, xid] : others.experiments) {
    if (holds(folder, theirs))
      refuse(folder, "it holds the results of experiment " + std::to_string(xid));
    if (!holds(theirs, folder)) continue;
    for (auto& [dir, unit] : state.impl().unit_dirs(xid)) {
      const fs::path place = place_of(dir);
      if (holds(folder, place) || holds(place, folder)) refuse_shared(unit);
    }
  }
}

}  // namespace

FilesToRemove files_to_remove(const State& state, int xid) {
  FilesToRemove out;
  const auto experiment = state.experiment(xid);
  if (!experiment) return out;
  if (!experiment->dir.empty()) out.experiment = experiment->dir;
  const Others others = others_of(state, xid);
  for (const UnitRow& unit : state.units(xid)) {
    const fs::path named = fs::path(unit.dir).lexically_normal();
    std::error_code unknown;
    if (unit.dir.empty() || !fs::exists(fs::symlink_status(named, unknown))) continue;
    const fs::path place = place_of(named);
    const bool inside =
        !experiment->dir.empty() && holds(fs::path(experiment->dir).lexically_normal(), named);
    if (!inside) {
      if (std::ranges::find(out.outside, named) == out.outside.end()) out.outside.push_back(named);
      continue;
    }
    if (!holds(base::real_path(experiment->dir), place)) {
      refuse(named, "a link leads out of " + experiment->dir);
    }
    if (std::ranges::find(out.folders, place) != out.folders.end()) continue;
    check_needed(place, state);
    check_others(place, others, state);
    if (is_training_in(place)) {
      throw Error(ErrorKind::unsupported,
                  named.string() + " is not removed: a training runs in it; stop that first");
    }
    out.folders.push_back(place);
  }
  return out;
}

std::vector<fs::path> result_folders(const State& state, int xid) {
  std::vector<fs::path> out;
  const auto experiment = state.experiment(xid);
  if (!experiment) return out;
  const fs::path dir = fs::path(experiment->dir).lexically_normal();
  if (!dir.empty()) out.push_back(dir);
  for (auto& [named, unit] : state.impl().unit_dirs(xid)) {
    const fs::path folder = fs::path(named).lexically_normal();
    if (dir.empty() || !holds(dir, folder)) out.push_back(folder);
  }
  return out;
}

std::vector<fs::path> remove_files(const FilesToRemove& files) {
  for (const fs::path& folder : files.folders) {
    std::error_code error;
    fs::remove_all(folder, error);  // follows no links
    if (error) {
      throw Error(ErrorKind::value, folder.string() + " cannot be removed: " + error.message());
    }
  }
  std::vector<fs::path> left;
  std::error_code error;
  if (files.experiment.empty()) return left;
  for (fs::directory_iterator it(files.experiment, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().filename() != ".kxm") left.push_back(it->path());
  }
  std::ranges::sort(left);
  return left;
}

}  // namespace kxm
