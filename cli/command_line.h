// The commands and flags of kd, as CLI11 knows them, from the tables of all verbs. Help, errors and
// completion all read this one tree.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/verb.h"

namespace cli {

class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Lets the verbs that `args` name change them, before --cfg= is taken out.
  void prepare(std::vector<std::string>& args);
  // Throws CLI::ParseError, and UsageError for unknown words. Without a command, a config is
  // trained or evaluated: `kd --cfg=... --eval_names=a`.
  void parse(std::vector<std::string> args, bool has_config = false);
  // What was asked for, after `parse`.
  int run(Session& session) const { return run_(session); }
  // The innermost command named so far, also when parsing failed.
  const CLI::App& current() const;

  // The command that the words before the last lead to.
  const CLI::App& command_of(const std::vector<std::string>& words) const;
  const Verb<>& verb_of(const CLI::App& command) const { return commands_.at(&command).verb; }
  const Completer* completer_of(const CLI::Option& option) const;  // nullptr: there is none

 private:
  struct Command {
    Verb<> verb;
    VerbEntry::Bound bound;
  };
  void add(const VerbEntry& entry);
  CLI::App& place_for(const std::string& name, const char* summary);
  [[noreturn]] void fail_unknown(const CLI::App& command, const std::string& word,
                                 bool has_config) const;

  CLI::App app_;
  const CLI::App* named_ = &app_;  // by the words, before they are parsed
  std::map<const CLI::App*, Command> commands_;
  Completers completers_;
  std::function<int(Session&)> run_;
};

std::string help_of(const CLI::App& command);
// CLI11's texts in our words, where they are worth it.
std::string text_of(const CLI::ParseError& error);
// "kd config show"
std::string full_name(const CLI::App& command);

}  // namespace cli
