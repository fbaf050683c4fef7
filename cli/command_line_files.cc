// The flags of `kd plot` and `kd ckpt`, which work on what runs left.
#include "cli/command_line.h"
#include "cli/help_text.h"

namespace cli {

void CommandLine::add_file_commands() {
  auto* plot_command = add(app_, "plot", "Draw the curves of runs", kPlotHelp,
                           [this](Session&) { return plot(plot_); });
  plot_command->add_option("WORKDIR", plot_.workdirs, "Folders of runs")
      ->type_name("WORKDIR")
      ->required();
  plot_command->add_option("--keys", plot_.keys, "Patterns of what is drawn: losses/*")
      ->type_name("KEY")
      ->delimiter(',');
  plot_command->add_option("--collections", plot_.collections, "train, eval, ...; by default all")
      ->type_name("NAME")
      ->delimiter(',');
  plot_command->add_option("--out", plot_.out, "A .png or .svg file instead of the terminal")
      ->type_name("FILE");
  plot_command->add_option("--smooth", plot_.smooth, "Weight of the values before, 0 to 1")
      ->type_name("W")
      ->check(CLI::Range(0.0, 1.0));
  plot_command->add_flag("--log", plot_.log_y, "A logarithmic axis");

  CLI::App& group = *add_group(app_, "ckpt", "Show, compare and import checkpoints");
  auto* show = add(group, "show", "Print what is in a checkpoint", kCkptShowHelp,
                   [this](Session&) { return show_ckpt(ckpt_); });
  show->add_option("SOURCE", ckpt_.show.source, "A workdir, a checkpoint or a .safetensors file")
      ->type_name("SOURCE")
      ->required();
  show->add_option("--step", ckpt_.show.step, "Of a workdir; by default the newest")
      ->type_name("N");

  auto* diff = add(group, "diff", "Compare two checkpoints", kCkptDiffHelp,
                   [this](Session&) { return diff_ckpts(ckpt_); });
  diff->add_option("A", ckpt_.diff.a, "One, as `kd ckpt show` takes it")->required();
  diff->add_option("B", ckpt_.diff.b, "The other")->required();
  diff->add_option("--a-step", ckpt_.diff.a_step, "Step of A, if it is a workdir")->type_name("N");
  diff->add_option("--b-step", ckpt_.diff.b_step, "Step of B, if it is a workdir")->type_name("N");
  diff->add_option("--tolerance", ckpt_.diff.tolerance, "Differences up to this are none")
      ->type_name("X");

  auto* import = add(group, "import", "Make a checkpoint from another program's file",
                     kCkptImportHelp, [this](Session&) { return import_ckpt(ckpt_); });
  import->add_option("FILE", ckpt_.import.source, ".safetensors of PyTorch, or .msgpack of Flax")
      ->type_name("FILE")
      ->required();
  import->add_option("WORKDIR", ckpt_.import.workdir, "Gets the checkpoint")
      ->type_name("WORKDIR")
      ->required();
  import->add_option("--step", ckpt_.import.step, "Of the checkpoint")
      ->type_name("N")
      ->capture_default_str();
  import->add_flag("--keep-names", ckpt_.import.keep_names,
                   "Names and layouts of PyTorch stay as they are");
}

}  // namespace cli
