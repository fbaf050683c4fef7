// kd state rebuild: the database from the records beside the results.
#include <filesystem>

#include "base/count_text.h"
#include "cli/errors.h"
#include "cli/experiments.h"
#include "cli/format.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "konfig/json.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

struct RebuildOptions {
  std::vector<std::string> folders = {};
  Format format = Format::text;
};

int rebuild(Session&, const RebuildOptions& options) {
  for (const std::string& folder : options.folders) {
    if (!fs::exists(folder)) throw Failure("there is no folder " + folder);
  }
  kxm::State state(kxm::state_folder());
  int found = 0;
  if (options.folders.empty()) found = state.rebuild({state.folder() / "experiments"});
  for (const std::string& folder : options.folders) {
    const int here = state.rebuild({fs::absolute(folder)});
    if (here == 0) {
      throw Failure(folder +
                    ": no experiment in it; name its folder, which has a .kxm, or the one "
                    "above");
    }
    found += here;
  }
  const auto missing = state.missing();
  if (options.format == Format::json) {
    konfig::List gone;
    for (auto& [xid, home] : missing) gone.push_back(xid);
    const konfig::Dict out = {
        {"folder", state.folder().string()}, {"found", found}, {"missing", gone}};
    print(konfig::to_json(out) + "\n");
    return kFine;
  }
  print("found " + base::count_text(found, "experiment") + "; `kd status` lists them\n");
  for (auto& [xid, home] : missing) {
    print(std::to_string(xid) + " is not in " + path_text(home.parent_path().string()) +
          "; if its folder was moved: `kd state rebuild FOLDER`\n");
  }
  return kFine;
}

const AddVerb<RebuildOptions> verb = {{
    .name = "state rebuild",
    .place = 10,
    .summary = "Build the database again from the records",
    .help = R"(
Without a folder: all experiments that were launched with this state. With
folders: adds the experiments in them, such as those of another machine, or those
of a folder that was moved: their records learn the new place.

Examples:
  kd state rebuild
  kd state rebuild /shared/runs)",
    .options =
        [](Options& add, RebuildOptions& o) {
          add.value("FOLDER", o.folders, "FOLDER", "Folders of experiments, or one that holds them",
                    folders);
          add.choice("--format", o.format, "The notation");
        },
    .run = rebuild,
}};

}  // namespace
}  // namespace cli
