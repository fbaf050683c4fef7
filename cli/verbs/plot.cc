// kd plot: the curves of runs.
#include "cli/plot.h"

#include "cli/experiments.h"
#include "cli/verb.h"

namespace cli {
namespace {

int draw_runs(Session&, PlotOptions options) {
  bool launched = false;
  std::vector<std::string> names = options.workdirs;
  for (std::string& workdir : options.workdirs) {
    const std::string found = kxm::find_run(workdir);
    launched = launched || found != workdir;
    workdir = found;
  }
  // Folders of units have long names, and numbers are what was typed.
  if (launched) options.names = names;
  return plot(options);
}

const AddVerb<PlotOptions> verb = {{
    .name = "plot",
    .place = 70,
    .summary = "Draw the curves of runs",
    .help = R"(
One panel for each loss and metric, one curve for each run and collection, from
the files metrics.jsonl in the runs' folders.

Examples:
  kd plot runs/a
  kd plot 17/3 17/4
  kd plot runs/a runs/b --keys='losses/*' --log --out=curves.png)",
    .options =
        [](Options& add, PlotOptions& o) {
          add.value("WORKDIR", o.workdirs, "WORKDIR", "Folders of runs, or units: 17/3", runs)
              ->required();
          add.value("--keys", o.keys, "KEY", "Patterns of what is drawn: losses/*, eval/*")
              ->delimiter(',');
          add.value("--collections", o.collections, "NAME", "train, eval, ...; by default all")
              ->delimiter(',');
          add.value("--out", o.out, "FILE", "A .png or .svg file instead of the terminal",
                    config_files);
          add.value("--smooth", o.smooth, "W", "Weight of the values before, 0 to 1")
              ->check(CLI::Range(0.0, 1.0));
          add.flag("--log", o.log_y, "A logarithmic axis");
        },
    .run = [](Session& session, const PlotOptions& o) { return draw_runs(session, o); },
}};

}  // namespace
}  // namespace cli
