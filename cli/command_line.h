// The commands and flags of kd, as CLI11 knows them. Help, errors and completion all read this one
// tree.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/ckpt.h"
#include "cli/commands.h"
#include "cli/data.h"
#include "cli/new_project.h"
#include "cli/plot.h"
#include "kd/engine/options.h"

namespace cli {

class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  CLI::App& app() { return app_; }
  // Throws CLI::ParseError, and UsageError for unknown words. `a` and `b` are the sides of a diff.
  // Without a command, a config is trained or evaluated: `kd --cfg=... --eval_names=a`.
  void parse(std::vector<std::string> args, flags::ConfigFlag a, flags::ConfigFlag b,
             bool has_config = false);
  // What was asked for, after `parse`.
  int run(Session& session);
  // The innermost command named so far, also when parsing failed.
  const CLI::App& current() const;

 private:
  using Run = std::function<int(Session&)>;
  CLI::App* add_group(CLI::App& parent, const char* name, const char* summary);
  CLI::App* add(CLI::App& parent, const char* name, const char* summary, const char* more, Run run);
  void add_config_commands();
  void add_run_commands();
  void add_file_commands();  // command_line_files.cc
  void add_data_commands();  // command_line_data.cc
  void add_other_commands();

  CLI::App app_;
  Run run_;
  ShowOptions show_, resolve_;
  DiffOptions diff_;
  SetOptions set_;
  GetOptions get_;
  FieldsOptions fields_;
  SweepOptions sweep_;
  std::string shell_;
  kd::engine::Options engine_;
  TrainOptions train_;
  PlotOptions plot_;
  CkptOptions ckpt_;
  DataCommand data_;
  NewOptions new_;
};

// The flags of every command that computes.
void add_engine_flags(CLI::App* command, kd::engine::Options& options);

std::string help_of(const CLI::App& command);
// "kd config show"
std::string full_name(const CLI::App& command);
// The visible sub-commands and flags of one command.
std::vector<std::string> command_names(const CLI::App& command);
std::vector<std::string> flag_names(const CLI::App& command);
// The values a flag takes, where they are a fixed set: its type name is "{py,json,yaml}".
std::vector<std::string> choices_of(const CLI::Option& option);

}  // namespace cli
