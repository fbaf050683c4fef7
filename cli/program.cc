#include "cli/program.h"

#include <algorithm>
#include <filesystem>

#include "cli/command_line.h"
#include "cli/complete.h"
#include "cli/config_help.h"
#include "cli/errors.h"
#include "cli/refusal.h"
#include "cli/terminal.h"
#include "konfig/error.h"
#include "kxm/slurm.h"
#include "loader/locations.h"

namespace cli {
namespace {

constexpr const char* kComplete = "__complete";
constexpr const char* kJob = "__job";  // what Slurm starts on a node

int usage_error(const std::string& message, const CLI::App& command) {
  report_error(message);
  remark("Try: " + full_name(command) + " --help");
  return kUsage;
}

// --help, with --cfg= the fields of that config.
int show_help(const CommandLine& line, Session& session) {
  const CLI::App& command = line.current();
  const bool about_config =
      line.verb_of(command).help_shows_config ||
      (command.get_parent() && line.verb_of(*command.get_parent()).help_shows_config);
  if (session.has_config() && about_config) {
    print_config_help(session);
  } else {
    print(help_of(command));
  }
  return kFine;
}

// `kd help train ...` is `kd train ... --help`.
void read_help_first(std::vector<std::string>& args) {
  if (args.size() < 2 || args.front() != "help") return;
  args.erase(args.begin());
  args.insert(std::ranges::find(args, "--"), "--help");
}

int run_commands(std::vector<std::string> args, CommandLine& line) {
  read_help_first(args);
  line.prepare(args);
  Session session(std::move(args));
  try {
    line.parse(session.args(), session.has_config());
  } catch (const CLI::CallForHelp&) {
    return show_help(line, session);
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return kFine;
  }
  return line.run(session);
}

}  // namespace

std::string error_text(const konfig::Error& error) {
  if (error.path().empty()) return error.what();
  const std::string place = loader::location_of(error.path());
  return konfig::join_path("cfg", error.path()) + ": " + error.message() +
         (place.empty() ? "" : "\n  made at " + place);
}

namespace {

int run_line(std::vector<std::string> args, CommandLine& line) {
  try {
    if (!args.empty() && args.front() == kJob) {
      return kxm::run_slurm_task({args.begin() + 1, args.end()});
    }
    const bool completing = !args.empty() && args.front() == kComplete;
    if (completing) args.erase(args.begin());
    const int code =
        completing ? print_candidates(line, std::move(args)) : run_commands(std::move(args), line);
    finish_output();
    return code;
  } catch (const CLI::ParseError& e) {
    return usage_error(text_of(e), line.current());
  } catch (const UsageError& e) {
    return usage_error(e.what(), line.current());
  } catch (const Refusal& e) {
    report_error(e.what());
    return kUsage;
  } catch (const konfig::Error& e) {
    report_error(error_text(e));
  } catch (const std::bad_alloc&) {
    report_error("out of memory");
  } catch (const std::filesystem::filesystem_error& e) {
    report_error(e.path1().string() + ": " + e.code().message());
  } catch (const std::exception& e) {
    report_error(e.what());
  }
  return kFailure;
}

}  // namespace

int run(std::vector<std::string> args) {
  try {
    CommandLine line;
    return run_line(std::move(args), line);
  } catch (const std::logic_error& e) {  // a verb that cannot be
    report_error(e.what());
    return kFailure;
  }
}

}  // namespace cli
