#include "cli/command_line.h"

#include <algorithm>

#include "base/join.h"
#include "cli/completion.h"
#include "cli/engine.h"
#include "cli/errors.h"
#include "cli/help_text.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "konfig/suggest.h"

namespace cli {
namespace {

// A flag with a fixed set of values. They are its type name, where help and completion find them.
CLI::Option* choice(CLI::App* command, const char* flag, std::string& value,
                    const std::vector<std::string>& values, const char* help) {
  auto check = [values](std::string& given) -> std::string {
    if (std::find(values.begin(), values.end(), given) != values.end()) return "";
    return "expected " + base::join_or(values) + ", got '" + given + "'" +
           konfig::did_you_mean(given, values);
  };
  auto* option = command->add_option(flag, value, help)
                     ->type_name("{" + base::join(values, ",") + "}")
                     ->check(CLI::Validator(check, ""));
  return value.empty() ? option : option->capture_default_str();
}

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(30); }

  std::string make_usage(const CLI::App* command, std::string name) const override {
    std::string out = "\nUsage: " + name;
    if (!command_names(*command).empty()) out += " COMMAND";
    for (auto* option : command->get_options()) {
      if (!option->get_positional()) continue;
      const bool many = option->get_expected_max() > 1;
      const std::string word = option->get_name() + (many ? "..." : "");
      out += option->get_required() ? " " + word : " [" + word + "]";
    }
    return out + " [FLAGS]\n";
  }

  // A positional argument is its own type, unless its values are listed.
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string type = option->get_type_name();
    type = type.substr(0, type.find(':'));  // what checks add: "N:POSITIVE"
    if (option->get_positional() && !type.starts_with('{')) return "";
    std::string out = type.empty() ? "" : " " + type;
    if (!option->get_default_str().empty()) out += " = " + option->get_default_str();
    return out + (option->get_required() && !option->get_positional() ? " (required)" : "");
  }

  std::string make_footer(const CLI::App* command) const override {
    const std::string text = command->get_footer();
    if (text.empty()) return "";
    return text.substr(text.find_first_not_of('\n')) + (text.ends_with('\n') ? "" : "\n");
  }
};

CLI::Option* text(CLI::App* command, const char* flag, std::string& value, const char* type,
                  const char* help) {
  return command->add_option(flag, value, help)->type_name(type);
}

// The word is a flag, a command or neither; what it was meant to be.
[[noreturn]] void fail_unknown(const CLI::App& command, const std::string& word) {
  if (word.starts_with("-") && word != "-") {
    const std::string flag = word.substr(0, word.find('='));
    auto known = flag_names(command);
    known.insert(known.end(), {"--cfg", "--help"});
    // "--cgf.seed" is meant to be "--cfg.seed".
    const std::string name = flag.substr(0, flag.find('.'));
    throw UsageError("unknown flag " + flag + konfig::did_you_mean(name, known));
  }
  const auto commands = command_names(command);
  if (!commands.empty()) {
    throw UsageError("unknown command '" + full_name(command) + " " + word + "'" +
                     konfig::did_you_mean(word, commands) +
                     " (there are: " + base::join_or(commands) + ")");
  }
  const auto names = loader::names();
  const bool is_config =
      std::find(names.begin(), names.end(), word) != names.end() || word.find('.') != word.npos;
  throw UsageError("unexpected argument '" + word + "'" +
                   (is_config ? "; did you mean --cfg=" + word + "?" : ""));
}

}  // namespace

void add_engine_flags(CLI::App* command, kd::engine::Options& options) {
  command
      ->add_option("--threads", options.threads,
                   "Threads that compute; by default all cores this process may use")
      ->type_name("N");
  text(command, "--device", options.device, "DEVICE", "cpu, cuda or cuda:<number>")
      ->capture_default_str();
}

CommandLine::CommandLine() : app_(kSummary, "kd") {
  app_.set_help_flag("-h,--help", "Show this help");
  app_.set_version_flag("--version", "kd " KD_VERSION, "Show the version");
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.get_formatter()->label("Subcommands", "Commands");
  app_.get_formatter()->label("Positionals", "Arguments");
  app_.allow_extras();  // reported by parse() with the nearest name
  app_.footer(kFooter);
  text(&app_, "--eval_names", train_.eval_names, "A,B",
       "With --cfg and no command: evaluates these instead of training");
  add_run_commands();
  add_config_commands();
  add_file_commands();
  add_data_commands();
  add_other_commands();
}

CLI::App* CommandLine::add_group(CLI::App& parent, const char* name, const char* summary) {
  CLI::App* group = parent.add_subcommand(name, summary);
  group->allow_extras();
  group->footer("\nEvery command explains itself: " + full_name(*group) + " COMMAND --help.");
  return group;
}

CLI::App* CommandLine::add(CLI::App& parent, const char* name, const char* summary,
                           const char* more, Run run) {
  CLI::App* command = add_group(parent, name, summary);
  command->footer(more);
  command->callback([this, run = std::move(run)] { run_ = run; });
  return command;
}

void CommandLine::add_config_commands() {
  CLI::App& config = *add_group(app_, "config", "Show, check, compare and change configs");
  config.footer(kConfigFlags);

  auto* show_command = add(config, "show", "Print a config", kShowHelp,
                           [this](Session& s) { return show(s, show_); });
  choice(show_command, "--format", show_.format, {"py", "json", "yaml"}, "The notation");
  text(show_command, "--path", show_.path, "PATH", "Only this part: model.encoder");

  auto* resolve_command = add(config, "resolve", "Build the config's objects and print them",
                              kResolveHelp, [this](Session& s) { return resolve(s, resolve_); });
  choice(resolve_command, "--format", resolve_.format, {"py", "json", "yaml"}, "The notation");
  text(resolve_command, "--path", resolve_.path, "PATH", "Only this part: model.encoder");

  auto* diff_command = add(config, "diff", "Compare two configs", kDiffHelp,
                           [this](Session& s) { return diff_configs(s, diff_); });
  diff_command->add_option("CONFIG", diff_.sources, "Two configs, as --cfg= takes them")
      ->type_name("CONFIG");
  diff_command->add_flag("--resolve", diff_.resolve, "Compare what is built, defaults included");
  choice(diff_command, "--format", diff_.format, {"text", "json"}, "The notation");

  auto* set_command = add(config, "set", "Apply overrides and write a file", kSetHelp,
                          [this](Session& s) { return set(s, set_); });
  text(set_command, "--out", set_.out, "FILE", "The file: .json or .yaml")->required();

  auto* get_command =
      add(config, "get", "Print one value", kGetHelp, [this](Session& s) { return get(s, get_); });
  text(get_command, "PATH", get_.path, "PATH", "The place: optimizer.learning_rate")->required();

  auto* fields_command = add(config, "fields", "List registered types, or the fields of one",
                             kFieldsHelp, [this](Session& s) { return fields(s, fields_); });
  text(fields_command, "TYPE", fields_.type, "TYPE", "A name: optax.adam, Trainer");

  auto* sweep_command = add(config, "sweep", "List the items of a config's sweeps", kSweepHelp,
                            [this](Session& s) { return sweep(s, sweep_); });
  sweep_command->add_option("NAME", sweep_.names, "Sweeps; several give every combination")
      ->type_name("NAME");
  choice(sweep_command, "--format", sweep_.format, {"text", "json"}, "The notation");

  add(config, "list", "List the configs compiled into this program", kListHelp,
      [](Session&) { return list(); });
  add(config, "help", "List the fields of a config: paths, types, values, docs", kConfigHelpHelp,
      [&config](Session& s) {
        if (s.has_config()) return help_config(s);
        print(help_of(config));
        return kFine;
      });
}

void CommandLine::add_run_commands() {
  auto* train_command = add(app_, "train", "Train what a config describes", kTrainHelp,
                            [this](Session& s) { return train(s, train_); });
  auto* resume_command = add(app_, "resume", "Go on with a run that was stopped", kResumeHelp,
                             [this](Session& s) { return resume(s, train_); });
  text(resume_command, "WORKDIR", train_.workdir, "WORKDIR", "The folder of the run")->required();
  auto* eval_command = add(app_, "eval", "Evaluate the checkpoints of a run", kEvalHelp,
                           [this](Session& s) { return eval(s, train_); });
  text(eval_command, "--eval_names", train_.eval_names, "A,B",
       "Which evaluators; by default all that run in jobs of their own");
  auto* check_command = add(app_, "check", "Try a config: build it, one small step, write nothing",
                            kCheckHelp, [this](Session& s) { return check(s, train_); });
  auto* inspect_command = add(app_, "inspect", "Show the model: modules, shapes, parameters",
                              kInspectHelp, [this](Session& s) { return inspect(s, train_); });
  inspect_command
      ->add_option("--depth", train_.depth,
                   "How far down: 0 the model alone, 1 its parts, ...; by default all")
      ->type_name("N")
      ->check(CLI::Validator(
          [](std::string& n) {
            return n.starts_with('-') ? "expected 0 or more, got " + n : std::string();
          },
          ""));
  choice(inspect_command, "--show", train_.show, {"model", "graph", "schedules"},
         "The model's modules, what is connected with what (for Graphviz), or schedules as curves");
  text(inspect_command, "--out", train_.out, "FILE", "A .png or .svg file for the schedules");
  for (auto* command :
       {train_command, resume_command, eval_command, check_command, inspect_command}) {
    add_engine_flags(command, train_.engine);
  }
}

void CommandLine::add_other_commands() {
  auto* new_command = add(app_, "new", "Start a project: a model, data and a config of your own",
                          kNewHelp, [this](Session&) { return new_project(new_); });
  text(new_command, "PATH", new_.path, "PATH", "The folder to make; its name is the project's")
      ->required();
  auto* engine_command = add(app_, "engine", "Show what computes: library, device, threads",
                             kEngineHelp, [this](Session&) { return engine(engine_); });
  add_engine_flags(engine_command, engine_);
  auto* completion = add(app_, "completion", "Print a completion script for a shell",
                         kCompletionHelp, [this](Session&) {
                           print(completion_script(shell_));
                           return kFine;
                         });
  choice(completion, "SHELL", shell_, shells(), "The shell")->required();
  add(app_, "help", "Show this help", "", [this](Session&) {
    print(help_of(app_));
    return kFine;
  });
}

void CommandLine::parse(std::vector<std::string> args, flags::ConfigFlag a, flags::ConfigFlag b,
                        bool has_config) {
  diff_.a = std::move(a);
  diff_.b = std::move(b);
  std::reverse(args.begin(), args.end());  // as CLI11 wants them
  app_.parse(args);
  for (const CLI::App* command = &app_;;) {
    const auto rest = command->remaining(/*recurse=*/false);
    if (!rest.empty()) fail_unknown(*command, rest.front());
    const auto next = command->get_subcommands();
    if (next.empty()) break;
    command = next.front();
  }
  if (!run_ && has_config && app_.get_subcommands().empty()) {
    run_ = [this](Session& s) {
      return train_.eval_names.empty() ? train(s, train_) : eval(s, train_);
    };
  }
  if (!run_) {
    throw UsageError("which command? " + full_name(current()) +
                     " has: " + base::join_or(command_names(current())));
  }
}

int CommandLine::run(Session& session) { return run_(session); }

const CLI::App& CommandLine::current() const {
  const CLI::App* command = &app_;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  return *command;
}

std::string help_of(const CLI::App& command) {
  // CLI11's own help() would be that of the command that was parsed.
  return command.get_formatter()->make_help(&command, full_name(command),
                                            CLI::AppFormatMode::Normal);
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent ? full_name(*parent) + " " + command.get_name() : command.get_name();
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> out;
  for (auto* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    out.push_back(sub->get_name());
  }
  return out;
}

std::vector<std::string> flag_names(const CLI::App& command) {
  std::vector<std::string> out;
  for (auto* option : command.get_options()) {
    for (auto& name : option->get_lnames()) out.push_back("--" + name);
  }
  return out;
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  std::string type = option.get_type_name();
  if (!type.starts_with('{') || !type.ends_with('}')) return {};
  return CLI::detail::split(type.substr(1, type.size() - 2), ',');
}

}  // namespace cli
