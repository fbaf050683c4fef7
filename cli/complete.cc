#include "cli/complete.h"

#include <algorithm>

#include "cli/program.h"
#include "cli/terminal.h"

namespace cli {
namespace {

class Completion {
 public:
  Completion(const CommandLine& line, std::vector<std::string> words)
      : line_(line),
        command_(line.command_of(words)),
        words_(std::move(words)),
        word_(words_.back()) {}

  std::vector<Candidate> run() {
    if (word_.starts_with("-") && word_.find('=') != word_.npos) {
      flag_value(word_.substr(0, word_.find('=') + 1));
    } else if (word_.starts_with("-")) {
      flags();
    } else if (auto* option = option_before()) {
      values(*option, "");
    } else {
      commands();
      positional();
    }
    return std::move(out_);
  }

 private:
  void add(const std::string& word, const std::string& note = "") {
    if (word.starts_with(word_)) out_.push_back({word, note});
  }

  // Candidates for what follows `before` in the word.
  void add_values(const std::string& before, const Completer& completer) {
    const Typing typing = {.before = {words_.begin(), words_.end() - 1},
                           .value = word_.substr(before.size())};
    for (auto& c : completer(typing)) add(before + c.word, c.note);
  }

  void commands() {
    for (auto* sub : command_.get_subcommands([](const CLI::App*) { return true; })) {
      add(sub->get_name(), sub->get_description());
    }
  }

  void flags() {
    for (auto* option : command_.get_options()) {
      const bool flag = option->get_expected_max() == 0;
      for (auto& name : option->get_lnames()) {
        add("--" + name + (flag ? "" : "="), option->get_description());
      }
    }
    own_flags();
    const Verb<>& verb = line_.verb_of(command_);
    if (!verb.explains_config && !verb.help_shows_config) return;
    if (word_.starts_with("--cfg.")) return add_values("--cfg.", config_settings);
    if (word_.starts_with("--nocfg.")) return add_values("--nocfg.", config_switches);
    const bool given = std::any_of(words_.begin(), words_.end() - 1,
                                   [](const std::string& w) { return w.starts_with("--cfg="); });
    if (!given) return add("--cfg=", "The config: a name or a file");
    add("--cfg.", "Override a field");
    add("--nocfg.", "Set a field to False");
  }

  void flag_value(const std::string& before) {
    if (before == "--cfg=") return add_values(before, config_sources);
    if (before.starts_with("--cfg.")) return add_values("--cfg.", config_settings);
    for (auto* option : command_.get_options()) {
      for (auto& name : option->get_lnames()) {
        if (before == "--" + name + "=") values(*option, before);
      }
    }
    own_flags();
  }

  void own_flags() {
    if (auto* candidates = line_.verb_of(command_).complete) add_values("", candidates);
  }

  // `--format js`: the flag whose value the word is.
  const CLI::Option* option_before() const {
    if (words_.size() < 2) return nullptr;
    for (auto* option : command_.get_options()) {
      for (auto& name : option->get_lnames()) {
        if (words_[words_.size() - 2] == "--" + name && option->get_expected_max() > 0) {
          return option;
        }
      }
    }
    return nullptr;
  }

  void values(const CLI::Option& option, const std::string& before) {
    if (auto* completer = line_.completer_of(option)) add_values(before, *completer);
  }

  void positional() {
    for (auto* option : command_.get_options()) {
      if (option->get_positional()) values(*option, "");
    }
  }

  const CommandLine& line_;
  const CLI::App& command_;
  std::vector<std::string> words_;
  std::string word_;
  std::vector<Candidate> out_;
};

}  // namespace

std::vector<Candidate> complete(const CommandLine& line, std::vector<std::string> words) {
  if (words.empty()) words.emplace_back();
  return Completion(line, std::move(words)).run();
}

int print_candidates(const CommandLine& line, std::vector<std::string> words) {
  auto candidates = complete(line, std::move(words));
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.word < b.word; });
  const std::string* last = nullptr;
  for (auto& candidate : candidates) {
    if (last && *last == candidate.word) continue;
    last = &candidate.word;
    print(candidate.word + (candidate.note.empty() ? "" : "\t" + candidate.note) + "\n");
  }
  return kFine;
}

}  // namespace cli
