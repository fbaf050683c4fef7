#include "kxm/remove_files.h"

#include <algorithm>
#include <cstdlib>

#include "konfig/error.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

fs::path real_path(const fs::path& path) {
  std::error_code error;
  fs::path out = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : out;
}

// The place of an entry itself: a link stays a link.
fs::path place_of(const fs::path& path) {
  const fs::path plain = (path / "").lexically_normal().parent_path();  // without a last slash
  return real_path(plain.parent_path()) / plain.filename();
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
    if (!path.empty() && holds(folder, real_path(path))) {
      refuse(folder, std::string("it is or holds ") + name);
    }
  }
}

void check_others(const fs::path& folder, const State& state, int xid) {
  for (const ExperimentRow& other : state.experiments()) {
    if (other.xid == xid) continue;
    if (!other.dir.empty() && holds(folder, place_of(other.dir))) {
      refuse(folder, "it holds the results of experiment " + std::to_string(other.xid));
    }
    // The folders of units are in that of their experiment, if it has one.
    if (!other.dir.empty() && !holds(place_of(other.dir), folder)) continue;
    for (const UnitRow& unit : state.units(other.xid)) {
      if (unit.dir.empty()) continue;
      const fs::path theirs = place_of(unit.dir);
      if (holds(folder, theirs) || holds(theirs, folder)) {
        refuse(folder, "it belongs to " + std::to_string(other.xid) + "/" +
                           std::to_string(unit.wid) + ", too");
      }
    }
  }
}

}  // namespace

FilesToRemove files_to_remove(const State& state, int xid) {
  FilesToRemove out;
  const auto experiment = state.experiment(xid);
  if (!experiment) return out;
  if (!experiment->dir.empty()) out.experiment = experiment->dir;
  for (const UnitRow& unit : state.units(xid)) {
    const fs::path named = fs::path(unit.dir).lexically_normal();
    std::error_code unknown;
    if (unit.dir.empty() || !fs::exists(fs::symlink_status(named, unknown))) continue;
    const fs::path place = place_of(named);
    const bool inside =
        !experiment->dir.empty() && holds(fs::path(experiment->dir).lexically_normal(), named);
    if (inside && !holds(real_path(experiment->dir), place)) {
      refuse(named, "a link leads out of " + experiment->dir);
    }
    if (std::ranges::find(out.folders, place) != out.folders.end()) continue;
    check_needed(place, state);
    check_others(place, state, xid);
    out.folders.push_back(place);
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
