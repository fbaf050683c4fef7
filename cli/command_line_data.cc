// The flags of `kd data`.
#include "cli/command_line.h"
#include "cli/help_text.h"

namespace cli {

void CommandLine::add_data_commands() {
  CLI::App& group = *add_group(app_, "data", "Look at the data of a config");
  group.footer(kConfigFlags);
  auto add_command = [&](const char* name, const char* summary, const char* more,
                         int (*run)(Session&, const DataCommand&)) {
    CLI::App* command =
        add(group, name, summary, more, [this, run](Session& s) { return run(s, data_); });
    command
        ->add_option("--ds", data_.data.ds,
                     "The dataset in the config; by default train_ds, or the config itself")
        ->type_name("PATH");
    add_engine_flags(command, data_.engine);
    return command;
  };
  auto add_batches = [&](CLI::App* command, const char* help) {
    command->add_option("--batches", data_.data.batches, help)
        ->type_name("N")
        ->check(CLI::PositiveNumber);
  };

  add_command("spec", "Print names, types and shapes of a batch", kDataSpecHelp, data_spec);

  auto* stats =
      add_command("stats", "Print ranges, means and histograms", kDataStatsHelp, data_stats);
  add_batches(stats, "How many are read at most");

  auto* show =
      add_command("show", "Draw the first images with their labels", kDataShowHelp, data_show);
  show->add_option("-n,--n", data_.data.n, "How many")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  show->add_option("--out", data_.out, "The picture as a PNG file")->type_name("FILE");
  show->add_option("--key", data_.data.key, "The element with the images; else the first that has")
      ->type_name("NAME");
  show->add_option("--label", data_.data.label, "The element below them; else label or labels")
      ->type_name("NAME");

  auto* bench = add_command("bench", "Measure batches a second, and where the time goes",
                            kDataBenchHelp, data_bench);
  add_batches(bench, "How many are read, instead of a time");
  bench->add_option("--seconds", data_.data.seconds, "How long it measures")
      ->type_name("S")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
}

}  // namespace cli
