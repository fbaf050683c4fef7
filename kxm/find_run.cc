#include "kxm/find_run.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/join.h"
#include "konfig/error.h"
#include "kxm/damaged.h"
#include "kxm/records_impl.h"

namespace kxm {
namespace {

using konfig::Error;
using konfig::ErrorKind;

constexpr std::size_t kMostNamed = 5;

// "16 'mnist', 18 'vit'": by how far their numbers are away.
std::string nearest_text(std::vector<ExperimentRow> all, int xid) {
  std::ranges::stable_sort(all, {}, [&](const auto& e) { return std::abs(e.xid - xid); });
  if (all.size() > kMostNamed) all.resize(kMostNamed);
  std::ranges::sort(all, {}, &ExperimentRow::xid);
  return base::join(all, ", ", [](const ExperimentRow& e) {
    return std::to_string(e.xid) + (e.title.empty() ? "" : " '" + e.title + "'");
  });
}

}  // namespace

ExperimentRow find_experiment(const State& state, int xid) {
  if (auto found = state.experiment(xid)) return *found;
  for (const std::string& damaged : damaged_texts(state)) {
    if (damaged.starts_with("experiment " + std::to_string(xid) + " ")) {
      throw Error(ErrorKind::value, damaged);
    }
  }
  const std::vector<ExperimentRow> all = state.experiments();
  const std::string there =
      all.empty() ? "nothing was launched yet (the state is in " + state.folder().string() + ")"
                  : "the nearest are " + nearest_text(all, xid) + "; `kd status` lists all";
  // Records outlive a state: those of another machine, or of one that is gone.
  const std::string here = "runs/" + std::to_string(xid);
  std::error_code unknown;
  if (std::filesystem::exists(std::filesystem::path(here) / kHome / kHeading, unknown)) {
    throw Error(ErrorKind::key, "this state does not know experiment " + std::to_string(xid) +
                                    ", but its records are in " + here +
                                    ": first `kd state rebuild runs`");
  }
  throw Error(ErrorKind::key, "there is no experiment " + std::to_string(xid) + ": " + there);
}

UnitRow find_unit(const State& state, const Address& address) {
  find_experiment(state, address.xid);
  if (address.wid) return state.unit(address.xid, *address.wid);
  const std::vector<UnitRow> units = state.units(address.xid, {.limit = 2});
  if (units.size() == 1) return units.front();
  const std::string xid = std::to_string(address.xid);
  if (units.empty()) throw Error(ErrorKind::key, "experiment " + xid + " has no units");
  throw Error(ErrorKind::key, "experiment " + xid + " has " +
                                  std::to_string(state.count_units(address.xid).total()) +
                                  " units: name one of them, such as " + xid + "/" +
                                  std::to_string(units.front().wid) + "; `kd status " + xid +
                                  "` lists them");
}

const JobRow& find_job(const UnitRow& unit, const Address& address) {
  for (const JobRow& job : unit.jobs) {
    if (job.what.name == address.job) return job;
  }
  const auto names = base::join(unit.jobs, ", ", [](const JobRow& job) { return job.what.name; });
  throw Error(ErrorKind::key, to_text({.xid = address.xid, .wid = unit.wid}) + " has no job '" +
                                  address.job + "'; it has " + (names.empty() ? "none" : names));
}

namespace {

std::string folder_in(const State& state, const Address& address) {
  if (!address.job.empty()) {
    throw Error(ErrorKind::value, to_text(address) + " is a job: the folder belongs to its unit, " +
                                      to_text({.xid = address.xid, .wid = address.wid}));
  }
  const UnitRow unit = find_unit(state, address);
  if (!unit.dir.empty()) return unit.dir;
  throw Error(ErrorKind::value, to_text({.xid = address.xid, .wid = unit.wid}) +
                                    " has no folder: no job asked for one");
}

}  // namespace

std::string find_run(const Address& address) {
  return folder_in(State(state_folder(), State::Open::read), address);
}

std::function<std::string(const Address&)> run_finder(const State& state) {
  return
      [folder = state.folder(), opened = std::shared_ptr<State>()](const Address& address) mutable {
        if (!opened) opened = std::make_shared<State>(folder, State::Open::read);
        return folder_in(*opened, address);
      };
}

std::string find_run(const std::string& text) {
  std::error_code unknown;
  if (std::filesystem::exists(text, unknown)) return text;
  const auto address = parse_address(text);
  if (!address) return text;
  try {
    return find_run(*address);
  } catch (const Error& e) {
    if (text.starts_with("xid:")) throw;
    throw Error(e.kind(), "there is no folder " + text + " here, and " + e.message());
  }
}

std::string find_run_or_new(const std::string& text) {
  std::error_code unknown;
  const auto address = parse_address(text);
  if (!address || std::filesystem::exists(text, unknown)) return text;
  if (text.starts_with("xid:")) return find_run(*address);
  if (!address->wid) return text;
  const State state(state_folder(), State::Open::read);
  const bool launched = !state.units(address->xid, {.wids = {*address->wid}}).empty();
  return launched ? folder_in(state, *address) : text;
}

std::optional<int> experiment_in(const std::filesystem::path& folder) {
  std::error_code unknown;
  const std::filesystem::path home = folder / kHome;
  if (!std::filesystem::exists(home / kHeading, unknown)) return std::nullopt;
  return read_heading(home).plan.xid;
}

}  // namespace kxm
