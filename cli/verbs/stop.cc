// kd stop: ends jobs that were launched.
#include <algorithm>
#include <functional>

#include "base/join.h"
#include "cli/errors.h"
#include "cli/experiments.h"
#include "cli/format.h"
#include "cli/queued.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "konfig/json.h"
#include "kxm/launch.h"
#include "kxm/local.h"
#include "kxm/relaunch.h"

namespace cli {
namespace {

using kxm::Address;
using kxm::JobState;

constexpr std::size_t kMostNamed = 10;

struct StopOptions {
  std::vector<std::string> what = {};
  bool now = false;
  Format format = Format::text;
};

// Somebody trains in its folder without a launcher.
bool is_trained(const kxm::UnitRow& unit) {
  return std::ranges::any_of(unit.jobs,
                             [](const kxm::JobRow& job) { return job.trainer.has_value(); });
}

// What `kd stop` leaves alone.
std::string left_text(int xid, const std::vector<kxm::UnitRow>& trained) {
  std::string out;
  for (const kxm::UnitRow& unit : trained) {
    for (const kxm::JobRow& job : unit.jobs) {
      if (!job.trainer) continue;
      out += to_text(Address{.xid = xid, .wid = unit.wid}) + " goes on: " + job.why() +
             "; Ctrl-C there, or `kill " + std::to_string(*job.trainer) +
             "`, lets it save and end\n";
    }
  }
  return out;
}

std::vector<int> wids_of(const std::vector<kxm::UnitRow>& units) {
  std::vector<int> out;
  for (auto& unit : units) out.push_back(unit.wid);
  return out;
}

// "17/1, 17/4 and 30 more"
std::string names_of(int xid, std::vector<int> wids) {
  const std::size_t all = wids.size();
  if (all > kMostNamed) wids.resize(kMostNamed);
  return base::join(wids, ", ", [&](int wid) { return to_text(Address{.xid = xid, .wid = wid}); }) +
         (all > kMostNamed ? " and " + std::to_string(all - kMostNamed) + " more" : "");
}

Address checked_address(const kxm::State& state, const std::string& what) {
  Address address = address_of(what);
  if (!address.job.empty()) {
    const std::string unit = to_text(Address{.xid = address.xid, .wid = address.wid});
    throw UsageError(what + ": the jobs of a unit are stopped together: kd stop " + unit);
  }
  kxm::find_experiment(state, address.xid);
  if (address.wid) kxm::find_unit(state, address);
  return address;
}

void stop_one(const kxm::State& state, const Address& address, const StopOptions& options) {
  kxm::ExperimentRow experiment = kxm::find_experiment(state, address.xid);
  kxm::UnitFilter filter = {.states = {JobState::running, JobState::waiting}};
  if (address.wid) filter.wids = {*address.wid};
  const bool launching = kxm::launcher_of(experiment).has_value();
  std::vector<kxm::UnitRow> units = state.units(address.xid, filter);
  look_in_queue(experiment, units);
  std::erase_if(units, [](auto& unit) {  // Slurm may have ended some
    return unit.state != JobState::running && unit.state != JobState::waiting;
  });
  const auto trained = std::stable_partition(units.begin(), units.end(), std::not_fn(is_trained));
  const std::string left = left_text(address.xid, {trained, units.end()});
  units.erase(trained, units.end());
  const std::vector<int> wids = wids_of(units);
  const auto how = options.now ? kxm::Stop::now : kxm::Stop::gently;
  if (!wids.empty()) {
    kxm::State to_change(kxm::state_folder());
    // Its launcher knows the executor; without one it may be of a file that was kept.
    const kxm::Local local;
    const auto own = launching ? kxm::Resumed() : kxm::read_relaunch(state, address.xid);
    kxm::stop(to_change, address.xid,
              own.executor ? kxm::ExecutorRef(own.executor) : kxm::ExecutorRef(local), how,
              address.wid ? wids : std::vector<int>());
  }
  if (options.format == Format::json) {
    konfig::List list;
    for (int wid : wids) list.push_back(wid);
    const konfig::Dict out = {{"xid", address.xid},
                              {"how", options.now ? "now" : "gently"},
                              {"through_launcher", launching && !wids.empty()},
                              {"wids", list}};
    print(konfig::to_json(out) + "\n");
  } else if (wids.empty()) {
    print(left.empty() ? to_text(address) + ": nothing runs or waits\n" : left);
  } else {
    const std::string xid = std::to_string(address.xid);
    print((options.now ? "killed " : "asked to save and stop: ") + names_of(address.xid, wids) +
          "\n`kd status " + xid + " --watch` shows when they have ended, `kd resume " + xid +
          "` goes on with them\n" + left);
  }
}

int stop(Session&, const StopOptions& options) {
  const kxm::State state = open_state();
  std::vector<Address> all;  // a wrong one is known before the first is stopped
  for (auto& what : options.what) all.push_back(checked_address(state, what));
  for (const Address& address : all) stop_one(state, address, options);
  return kFine;
}

const AddVerb<StopOptions> verb = {{
    .name = "stop",
    .place = 33,
    .summary = "Stop launched jobs",
    .help = R"(
Lets jobs save and end, as Ctrl-C of `kd launch` does. `kd resume 17` goes on with
them.

Examples:
  kd stop 17
  kd stop 17/3 18 --now)",
    .options =
        [](Options& add, StopOptions& o) {
          add.value("WHAT", o.what, "WHAT", "17, or 17/3 for one unit; several may be given",
                    experiments)
              ->required();
          add.flag("--now", o.now, "Kill them: nothing more is saved");
          add.choice("--format", o.format, "The notation");
        },
    .run = stop,
}};

}  // namespace
}  // namespace cli
