// A verb of kd is one file in cli/verbs/: options, help, completion and action, in one table.
//
//   struct GetOptions {
//     std::string path = "";
//   };
//   int get(Session& session, const GetOptions& options) { ... }
//   const AddVerb<GetOptions> verb = {{
//       .name = "read",
//       .summary = "Print one value",
//       .options =
//           [](Options& add, GetOptions& o) {
//             add.value("PATH", o.path, "PATH", "The place", config_paths)->required();
//           },
//       .run = get,
//   }};
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/completer.h"
#include "cli/program.h"
#include "cli/session.h"
#include "konfig/enum_name.h"

namespace cli {

using Completers = std::map<const CLI::Option*, Completer>;

// Adds options to a verb. A name with dashes is a flag ("--path", "-n,--n"), one without is an
// argument by its position ("PATH"). What they return is CLI11's, for checks and defaults.
class Options {
 public:
  Options(CLI::App& command, Completers& completers) : command_(command), completers_(completers) {}

  // `type` is what help calls the value: "--path PATH".
  template <class T>
  CLI::Option* value(const char* name, T& value, const char* type, const char* help,
                     Completer completer = {}) {
    CLI::Option* option = command_.add_option(name, value, help)->type_name(type);
    if (completer) completers_[option] = std::move(completer);
    return option;
  }
  // One of a fixed set of values: an enumerator, by its name.
  template <class E>
  requires std::is_enum_v<E> CLI::Option* choice(const char* name, E& value, const char* help) {
    return enumerator<E>(name, value, help)->default_str(std::string(konfig::enum_name(value)));
  }
  // None is the default.
  template <class E>
  CLI::Option* choice(const char* name, std::optional<E>& value, const char* help) {
    return enumerator<E>(name, value, help);
  }
  CLI::Option* flag(const char* name, bool& value, const char* help) {
    return command_.add_flag(name, value, help);
  }

  bool has(const std::string& name) const { return command_.get_option_no_throw(name) != nullptr; }
  // What the verb belongs to: "kd config" of "kd config get".
  const CLI::App& group() const { return *command_.get_parent(); }

 private:
  template <class E, class T>
  CLI::Option* enumerator(const char* name, T& value, const char* help) {
    std::vector<std::string> names;
    for (auto& e : konfig::enumerators<E>()) names.emplace_back(e.name);
    auto set = [&value](const std::string& given) {
      if (auto found = konfig::enum_named<E>(given)) value = *found;
    };
    return one_of(command_.add_option_function<std::string>(name, set, help), names);
  }
  // Refuses other values, names these in help and completes them.
  CLI::Option* one_of(CLI::Option* option, const std::vector<std::string>& values);

  CLI::App& command_;
  Completers& completers_;
};

struct NoOptions {};

template <class O = NoOptions>
struct Verb {
  const char* name = nullptr;  // "config get" is `get` of the group `config`; "" is kd itself
  int place = 1000;            // help lists verbs by it, then by name
  const char* summary = "";    // one line
  const char* help = "";       // below the options
  std::string (*more_help)(const O& options) = nullptr;  // below that: what is known at run time
  // Takes --cfg= and its overrides: completion offers them, and before `help` stands how they work.
  bool explains_config = false;
  // Takes them, too, and --help with --cfg= lists the fields of that config instead.
  bool help_shows_config = false;
  // Flags that depend on the words before, as whole words: "--problem.lr=".
  std::vector<Candidate> (*complete)(const Typing& typing) = nullptr;
  // What follows "unknown flag --lr" where no other flag is near: "; did you mean --cfg.lr?".
  std::string (*meant)(const std::string& flag, bool has_config, const O& options) = nullptr;
  void (*options)(Options& add, O& options) = nullptr;
  // Called before --cfg= is taken out of the command line.
  void (*prepare)(std::vector<std::string>& args, O& options) = nullptr;
  // Prints to standard output and returns the exit code. A verb without it is a group.
  int (*run)(Session& session, const O& options) = nullptr;
};

// A verb whatever its options are.
struct VerbEntry {
  Verb<> about;  // all but its functions
  // The functions, with options of their own.
  struct Bound {
    std::function<void(std::vector<std::string>& args)> prepare = {};
    std::function<int(Session& session)> run = {};
    std::function<std::string()> more_help = {};
    std::function<std::string(const std::string& flag, bool has_config)> meant = {};
  };
  std::function<Bound(Options& add)> bind;
};

// Those of the whole program: kd itself, then groups before what is in them, by `place` and name.
std::vector<const VerbEntry*> all_verbs();
// Throws a std::logic_error for a verb without a name, for two of one name, and for one whose group
// is not a verb.
void check_names(const std::vector<const VerbEntry*>& verbs);
// Adds its options to the command. Throws a std::logic_error that names the verb for an option that
// is there already, or that every verb has.
VerbEntry::Bound bind(const VerbEntry& entry, Options& options);
void add_verb(VerbEntry verb);

// Adds a verb to the program that its file is linked into.
template <class O = NoOptions>
struct AddVerb {
  AddVerb(const Verb<O>& verb) {  // NOLINT(google-explicit-constructor): a table in braces
    add_verb({.about = {.name = verb.name,
                        .place = verb.place,
                        .summary = verb.summary,
                        .help = verb.help,
                        .explains_config = verb.explains_config,
                        .help_shows_config = verb.help_shows_config,
                        .complete = verb.complete},
              .bind = [verb](Options& add) {
                auto options = std::make_shared<O>();
                if (verb.options) verb.options(add, *options);
                VerbEntry::Bound out;
                if (verb.prepare) {
                  out.prepare = [=](auto& args) { verb.prepare(args, *options); };
                }
                if (verb.run)
                  out.run = [=](Session& session) { return verb.run(session, *options); };
                if (verb.more_help) out.more_help = [=] { return verb.more_help(*options); };
                if (verb.meant) {
                  out.meant = [=](auto& flag, bool has_config) {
                    return verb.meant(flag, has_config, *options);
                  };
                }
                return out;
              }});
  }
};

}  // namespace cli
