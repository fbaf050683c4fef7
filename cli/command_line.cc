#include "cli/command_line.h"

#include <algorithm>
#include <sstream>

#include "base/join.h"
#include "cli/config_flags.h"
#include "cli/errors.h"
#include "cli/text.h"
#include "konfig/suggest.h"

namespace cli {
namespace {

// The visible sub-commands and flags of one command.
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

std::vector<std::string> words_of(const std::string& name) {
  std::istringstream in(name);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(30); }

  std::string make_usage(const CLI::App* command, std::string name) const override {
    std::string out = "\nUsage: " + name;
    if (!command_names(*command).empty()) {
      out += command->get_require_subcommand_max() == 1 ? " [COMMAND]" : " COMMAND";
    }
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

// `kd --eval_names=a eval`: a flag before the verb is meant for it.
void pass_on(const CLI::App& from, CLI::App& to) {
  for (auto* given : from.get_options()) {
    if (given->count() == 0) continue;
    CLI::Option* own = to.get_option_no_throw(given->get_name());
    if (!own || own->count() > 0) continue;
    own->add_result(given->results());
    own->run_callback();
  }
}

}  // namespace

CommandLine::CommandLine() : app_("", "kd") {
  app_.set_help_flag("-h,--help", "Show this help");
  app_.set_version_flag("--version", "kd " KD_VERSION, "Show the version");
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.get_formatter()->label("Subcommands", "Commands");
  app_.get_formatter()->label("Positionals", "Arguments");
  app_.allow_extras();  // reported by parse() with the nearest name
  const auto verbs = all_verbs();
  check_names(verbs);
  for (auto* entry : verbs) add(*entry);
}

// A new command; for "" the one that is there.
CLI::App& CommandLine::place_for(const std::string& name, const char* summary) {
  CLI::App* parent = &app_;
  auto words = words_of(name);
  if (words.empty()) return app_;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) parent = parent->get_subcommand(words[i]);
  return *parent->add_subcommand(words.back(), summary)->allow_extras();
}

void CommandLine::add(const VerbEntry& entry) {
  const Verb<>& verb = entry.about;
  CLI::App& command = place_for(verb.name, verb.summary);
  command.description(verb.summary);
  Options options(command, completers_);
  VerbEntry::Bound bound = bind(entry, options);
  std::string footer = (verb.explains_config ? kConfigFlags : "") + std::string(verb.help);
  if (!bound.run && footer.empty()) {
    footer = "\nEvery command explains itself: " + full_name(command) + " COMMAND --help.";
  }
  if (bound.more_help) {
    command.footer("");  // CLI11 would print that of the group behind it
    command.footer([footer, more = bound.more_help] { return footer + "\n" + more(); });
  } else {
    command.footer(footer);
  }
  if (bound.run && &command != &app_) {
    command.require_subcommand(0, 1);
    // CLI11 calls that of `run` after that of `run eval_shape`.
    command.callback([this, &command, run = bound.run] {
      if (command.get_subcommands().empty()) run_ = run;
    });
  }
  commands_[&command] = {verb, std::move(bound)};
}

void CommandLine::prepare(std::vector<std::string>& args) {
  std::vector<std::string> typed = args;
  typed.emplace_back();  // command_of takes the words before it
  named_ = &command_of(typed);
  for (auto& [app, command] : commands_) {
    if (!command.bound.prepare) continue;
    const auto words = words_of(command.verb.name);
    auto word = words.begin();
    for (auto& arg : args) {
      if (word != words.end() && arg == *word) ++word;
    }
    if (word == words.end()) command.bound.prepare(args);
  }
}

// The word is a flag, a command or neither; what it was meant to be.
void CommandLine::fail_unknown(const CLI::App& command, const std::string& word,
                               bool has_config) const {
  if (word.starts_with("-") && word != "-") {
    const std::string flag = word.substr(0, word.find('='));
    auto known = flag_names(command);
    known.insert(known.end(), {"--cfg", "--help"});
    // "--cgf.seed" is meant to be "--cfg.seed".
    const std::string name = flag.substr(0, flag.find('.'));
    const auto& bound = commands_.at(&command).bound;
    // A verb that can say more is asked, unless there is little doubt.
    std::string meant = konfig::did_you_mean(name, known, bound.meant ? 0.75 : 0.6);
    if (meant.empty() && bound.meant) meant = bound.meant(flag, has_config);
    throw UsageError("unknown flag " + flag + meant);
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
  // Hydra's `lr=0.1` is a flag here.
  const auto& bound = commands_.at(&command).bound;
  const auto equals = word.find('=');
  const bool setting = bound.meant && equals != word.npos;
  throw UsageError("unexpected argument '" + word + "'" +
                   (setting     ? bound.meant("--" + word.substr(0, equals), has_config)
                    : is_config ? "; did you mean --cfg=" + word + "?"
                                : ""));
}

void CommandLine::parse(std::vector<std::string> args, bool has_config) {
  std::reverse(args.begin(), args.end());  // as CLI11 wants them
  app_.parse(args);
  CLI::App* command = &app_;
  while (true) {
    const auto rest = command->remaining(/*recurse=*/false);
    if (!rest.empty()) fail_unknown(*command, rest.front(), has_config);
    const auto next = command->get_subcommands();
    if (next.empty()) break;
    command = next.front();
  }
  if (command != &app_) {
    pass_on(app_, *command);
  } else if (has_config) {
    run_ = commands_.at(&app_).bound.run;
  }
  if (!run_) {
    throw UsageError("which command? " + full_name(current()) +
                     " has: " + base::join_or(command_names(current())));
  }
}

const CLI::App& CommandLine::current() const {
  const CLI::App* command = &app_;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  return command == &app_ ? *named_ : *command;
}

const CLI::App& CommandLine::command_of(const std::vector<std::string>& words) const {
  const CLI::App* command = &app_;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    for (auto* sub : command->get_subcommands([](const CLI::App*) { return true; })) {
      if (sub->get_name() == words[i]) {
        command = sub;
        break;
      }
    }
  }
  return *command;
}

const Completer* CommandLine::completer_of(const CLI::Option& option) const {
  const auto it = completers_.find(&option);
  return it == completers_.end() ? nullptr : &it->second;
}

std::string help_of(const CLI::App& command) {
  // CLI11's own help() would be that of the command that was parsed.
  return command.get_formatter()->make_help(&command, full_name(command),
                                            CLI::AppFormatMode::Normal);
}

std::string text_of(const CLI::ParseError& error) {
  std::string text = error.what();
  constexpr std::string_view kRequired = " is required";
  if (dynamic_cast<const CLI::RequiredError*>(&error) && text.ends_with(kRequired)) {
    return text.substr(0, text.size() - kRequired.size()) + " is missing";  // "PATH is missing"
  }
  const auto colon = text.find(": ");
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) && colon != text.npos) {
    constexpr std::string_view kOnce = "At Most 1 required but received ", kOne = "1 required ",
                               kMissing = " missing";
    const std::string name = text.substr(0, colon), rest = text.substr(colon + 2);
    if (rest.starts_with(kOnce)) {
      return name + ": expected one value, given " + rest.substr(kOnce.size());
    }
    if (rest.starts_with(kOne) && rest.ends_with(kMissing)) {
      const auto type = rest.substr(kOne.size(), rest.size() - kOne.size() - kMissing.size());
      return name + ": expects a value: " + name + "=" + type;
    }
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

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent ? full_name(*parent) + " " + command.get_name() : command.get_name();
}

}  // namespace cli
