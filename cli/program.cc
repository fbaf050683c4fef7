#include "cli/program.h"

#include <algorithm>
#include <filesystem>

#include "cli/command_line.h"
#include "cli/complete.h"
#include "cli/errors.h"
#include "cli/terminal.h"
#include "konfig/error.h"

namespace cli {
namespace {

constexpr const char* kComplete = "__complete";

int usage_error(const std::string& message, const CLI::App& command) {
  report_error(message);
  remark("Try: " + full_name(command) + " --help");
  return kUsage;
}

// CLI11's texts in our words, where they are worth it.
std::string text_of(const CLI::ParseError& error) {
  std::string text = error.what();
  constexpr std::string_view kRequired = " is required";
  if (dynamic_cast<const CLI::RequiredError*>(&error) && text.ends_with(kRequired)) {
    return text.substr(0, text.size() - kRequired.size()) + " is missing";  // "PATH is missing"
  }
  constexpr std::string_view kConvert = "Could not convert: ";
  if (dynamic_cast<const CLI::ConversionError*>(&error) && text.starts_with(kConvert)) {
    const auto equals = text.find(" = ");
    if (equals != text.npos) {
      return text.substr(kConvert.size(), equals - kConvert.size()) + ": expected a number, got '" +
             text.substr(equals + 3) + "'";
    }
  }
  return text;
}

// The place first, always seen from the config: "cfg.optimizer.b1: ...".
std::string text_of(const konfig::Error& error) {
  if (error.path().empty()) return error.what();
  return konfig::join_path("cfg", error.path()) + ": " + error.message();
}

// --help, with --cfg= the fields of that config.
int show_help(const CommandLine& line, Session& session) {
  const bool about_config = full_name(line.current()).starts_with("kd config");
  if (session.has_config() && about_config) return help_config(session);
  print(help_of(line.current()));
  return kFine;
}

// `kd resume DIR --cfg.x=1` changes the config of the run: --cfg=DIR/config.json is understood.
void name_config_of_run(std::vector<std::string>& args) {
  if (args.size() < 2 || args[0] != "resume" || args[1].starts_with("-")) return;
  const bool named = std::any_of(args.begin(), args.end(), [](auto& arg) {
    return arg == "--cfg" || arg.starts_with("--cfg=");
  });
  const auto file = std::filesystem::path(args[1]) / "config.json";
  if (named || !std::filesystem::exists(file)) return;
  args.insert(args.begin() + 2, "--cfg=" + file.string());
}

int run_commands(std::vector<std::string> args, CommandLine& line) {
  name_config_of_run(args);
  // Before --cfg: its words that may be values are known by their position.
  flags::ConfigFlag a, b;
  if (std::find(args.begin(), args.end(), "diff") != args.end()) {
    a = take_flag(args, "a", "A");
    b = take_flag(args, "b", "B");
  }
  Session session(std::move(args));
  try {
    line.parse(session.args(), std::move(a), std::move(b), session.has_config());
  } catch (const CLI::CallForHelp&) {
    return show_help(line, session);
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return kFine;
  }
  return line.run(session);
}

}  // namespace

int run(std::vector<std::string> args) {
  CommandLine line;
  try {
    const bool completing = !args.empty() && args.front() == kComplete;
    if (completing) args.erase(args.begin());
    const int code = completing ? print_candidates(line.app(), std::move(args))
                                : run_commands(std::move(args), line);
    finish_output();
    return code;
  } catch (const CLI::ParseError& e) {
    return usage_error(text_of(e), line.current());
  } catch (const UsageError& e) {
    return usage_error(e.what(), line.current());
  } catch (const konfig::Error& e) {
    report_error(text_of(e));
  } catch (const std::bad_alloc&) {
    report_error("out of memory");
  } catch (const std::filesystem::filesystem_error& e) {
    report_error(e.path1().string() + ": " + e.code().message());
  } catch (const std::exception& e) {
    report_error(e.what());
  }
  return kFailure;
}

}  // namespace cli
