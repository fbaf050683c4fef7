// kd plot: the curves of runs.
#include "cli/plot.h"
#include "cli/verb.h"

namespace cli {
namespace {

const AddVerb<PlotOptions> verb = {{
    .name = "plot",
    .place = 70,
    .summary = "Draw the curves of runs",
    .help = R"(
One panel for each loss and metric, one curve for each run and collection, from
the files metrics.jsonl in the runs' folders.

Examples:
  kd plot runs/a
  kd plot runs/a runs/b --keys='losses/*' --log --out=curves.png)",
    .options =
        [](Options& add, PlotOptions& o) {
          add.value("WORKDIR", o.workdirs, "WORKDIR", "Folders of runs")->required();
          add.value("--keys", o.keys, "KEY", "Patterns of what is drawn: losses/*")->delimiter(',');
          add.value("--collections", o.collections, "NAME", "train, eval, ...; by default all")
              ->delimiter(',');
          add.value("--out", o.out, "FILE", "A .png or .svg file instead of the terminal",
                    config_files);
          add.value("--smooth", o.smooth, "W", "Weight of the values before, 0 to 1")
              ->check(CLI::Range(0.0, 1.0));
          add.flag("--log", o.log_y, "A logarithmic axis");
        },
    .run = [](Session&, const PlotOptions& o) { return plot(o); },
}};

}  // namespace
}  // namespace cli
