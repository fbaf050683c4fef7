// kd rm: forgets an experiment.
#include <filesystem>
#include <set>

#include "base/count_text.h"
#include "base/join.h"
#include "cli/ask.h"
#include "cli/errors.h"
#include "cli/experiments.h"
#include "cli/format.h"
#include "cli/shown.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "konfig/json.h"
#include "kxm/launch.h"
#include "kxm/live_jobs.h"
#include "kxm/remove_files.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using kxm::JobState;

constexpr std::size_t kMostNamed = 5;

struct RmOptions {
  std::vector<std::string> what = {};
  bool files = false;
  bool yes = false;
  Format format = Format::text;
};

std::string text_of(std::vector<fs::path> paths) {
  const std::size_t all = paths.size();
  if (all > kMostNamed) paths.resize(kMostNamed);
  return base::join(paths, ", ", [](const fs::path& path) { return path_text(path.string()); }) +
         (all > kMostNamed ? " and " + std::to_string(all - kMostNamed) + " more" : "");
}

void check_idle(const kxm::State& state, const kxm::ExperimentRow& experiment) {
  const std::string xid = std::to_string(experiment.xid);
  if (const std::string live = kxm::live_text(state, experiment.xid); !live.empty()) {
    throw Failure("experiment " + xid + ": " + live);
  }
  if (!missing_text(experiment).empty()) return;
  if (experiment.units[JobState::running] > 0) {
    throw Failure("experiment " + xid + " is running: first `kd stop " + xid + "`");
  }
  if (const auto launcher = kxm::launcher_of(experiment)) {
    throw Failure("experiment " + xid + " is being launched by " + to_text(*launcher) +
                  ": first `kd stop " + xid + "`");
  }
}

int checked_xid(const kxm::State& state, const std::string& what) {
  const kxm::Address address = address_of(what);
  if (address.wid) {
    throw UsageError(what + ": experiments are removed whole: kd rm " +
                     std::to_string(address.xid));
  }
  check_idle(state, kxm::find_experiment(state, address.xid));
  return address.xid;
}

bool holds_files(const fs::path& folder) {
  std::error_code absent;
  return fs::exists(folder, absent) && !fs::is_empty(folder, absent);
}

void rm_one(int xid, const RmOptions& options) {
  kxm::FilesToRemove files;
  std::vector<fs::path> results;
  const kxm::ExperimentRow experiment = [&] {
    const kxm::State state = open_state();
    kxm::ExperimentRow out = kxm::find_experiment(state, xid);
    check_idle(state, out);
    if (options.files) {
      files = kxm::files_to_remove(state, xid);
    } else {
      results = kxm::result_folders(state, xid);
    }
    return out;
  }();
  const std::string name = std::to_string(experiment.xid) +
                           (experiment.title.empty() ? "" : " (" + shown(experiment.title) + ")");
  if (!files.folders.empty() && !options.yes &&
      !agreed("remove " + name + " with " + base::count_text(std::ssize(files.folders), "folder") +
              ": " + text_of(files.folders))) {
    throw Failure("nothing was removed");
  }
  // The record last: what is interrupted can be done again.
  const std::vector<fs::path> left = kxm::remove_files(files);
  kxm::State(kxm::state_folder()).remove(experiment.xid);
  std::error_code not_empty;
  if (options.files && !files.experiment.empty()) fs::remove(files.experiment, not_empty);
  if (options.format == Format::json) {
    konfig::List removed, kept;
    for (auto& folder : files.folders) removed.push_back(valid_utf8(folder.string()));
    for (auto& path : left) kept.push_back(valid_utf8(path.string()));
    for (auto& path : files.outside) kept.push_back(valid_utf8(path.string()));
    print(konfig::to_json(
              konfig::Dict{{"xid", experiment.xid}, {"removed", removed}, {"left", kept}}) +
          "\n");
    return;
  }
  print("removed " + name + (files.folders.empty() ? "" : " and " + text_of(files.folders)) + "\n");
  if (!files.outside.empty()) {
    print("left, since it is not in the folder of the experiment: " + text_of(files.outside) +
          "; remove by hand what is not needed any more\n");
  }
  if (!left.empty()) print("left in " + path_text(experiment.dir) + ": " + text_of(left) + "\n");
  std::erase_if(results, [](const fs::path& folder) { return !holds_files(folder); });
  if (!results.empty()) {
    print("the results are still in " + text_of(results) + "\n");
  }
}

int rm(Session&, const RmOptions& options) {
  std::set<int> all;  // a wrong one is known before the first is removed
  {
    const kxm::State state = open_state();
    for (auto& what : options.what) all.insert(checked_xid(state, what));
  }
  for (const int xid : all) rm_one(xid, options);
  return kFine;
}

const AddVerb<RmOptions> verb = {{
    .name = "rm",
    .place = 35,
    .summary = "Remove an experiment from the records",
    .help = R"(
Removes what `kd status` knows of an experiment, and its logs. The results stay,
unless --files removes the units' folders, too. An experiment that runs is
refused.

Examples:
  kd rm 17
  kd rm 17 18 --files --yes)",
    .options =
        [](Options& add, RmOptions& o) {
          add.value("WHAT", o.what, "WHAT", "17; several may be given", experiments)->required();
          add.flag("--files", o.files, "Also the folders of its units, after a question");
          add.flag("--yes", o.yes, "Do not ask");
          add.choice("--format", o.format, "The notation");
        },
    .run = rm,
}};

}  // namespace
}  // namespace cli
