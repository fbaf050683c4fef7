#include "cli/complete.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/complete_config.h"
#include "cli/completion.h"
#include "cli/errors.h"
#include "cli/program.h"
#include "cli/symbols.h"
#include "cli/terminal.h"

namespace cli {
namespace {

// The command that the words before the last lead to.
const CLI::App* command_of(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    for (auto* sub : command->get_subcommands([](const CLI::App*) { return true; })) {
      if (sub->get_name() == words[i]) {
        command = sub;
        break;
      }
    }
  }
  return command;
}

bool takes_config(const CLI::App& command) {
  const std::string name = full_name(command);
  return name.starts_with("kd config") && name != "kd config list";
}

class Completer {
 public:
  Completer(const CLI::App& app, std::vector<std::string> words)
      : command_(*command_of(app, words)), words_(std::move(words)), word_(words_.back()) {}

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

  // Candidates of a part of the config; a config that cannot be read has none.
  void add_config(const std::string& before,
                  std::vector<Candidate> (*find)(Session&, const std::string&)) {
    try {
      Session session(std::vector<std::string>(words_.begin(), words_.end() - 1));
      if (!session.has_config()) return;
      for (auto& c : find(session, word_.substr(before.size()))) add(before + c.word, c.note);
    } catch (const std::exception&) {
      // Completion never complains.
    }
  }

  void add_sources(const std::string& before) {
    for (auto& name : loader::names()) add(before + name, "compiled in");
    add_files(before, {".cc", ".py", ".json", ".yaml", ".yml"});
  }

  void add_files(const std::string& before, const std::set<std::string>& extensions) {
    namespace fs = std::filesystem;
    const std::string typed = word_.substr(before.size());
    const std::string folder = typed.substr(0, typed.rfind('/') + 1);
    std::error_code error;
    for (auto it = fs::directory_iterator(folder.empty() ? "." : folder, error);
         !error && it != fs::directory_iterator(); it.increment(error)) {
      const std::string name = it->path().filename().string();
      if (name.starts_with('.') && typed == folder) continue;
      std::error_code unknown;
      if (it->is_directory(unknown)) {
        add(before + folder + name + "/");
      } else if (extensions.contains(it->path().extension().string())) {
        add(before + folder + name);
      }
    }
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
    if (!takes_config(command_)) return;
    if (word_.starts_with("--cfg.")) return add_config("--cfg.", complete_override);
    if (word_.starts_with("--nocfg.")) return add_config("--nocfg.", complete_switch);
    const bool given = std::any_of(words_.begin(), words_.end() - 1,
                                   [](const std::string& w) { return w.starts_with("--cfg="); });
    if (!given) return add("--cfg=", "The config: a name or a file");
    add("--cfg.", "Override a field");
    add("--nocfg.", "Set a field to False");
  }

  void flag_value(const std::string& before) {
    if (before == "--cfg=") return add_sources(before);
    if (before.starts_with("--cfg.")) return add_config("--cfg.", complete_override);
    for (auto* option : command_.get_options()) {
      for (auto& name : option->get_lnames()) {
        if (before == "--" + name + "=") values(*option, before);
      }
    }
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
    for (auto& value : choices_of(option)) add(before + value);
    const std::string type = option.get_type_name();
    if (type == "CONFIG") add_sources(before);
    if (type == "FILE") add_files(before, {".json", ".yaml", ".yml"});
    if (type == "PATH") add_config(before, complete_path);
    if (type == "NAME") add_config(before, complete_sweep);
    if (type == "TYPE") {
      for (auto& group : symbol_groups()) {
        for (auto* symbol : group.symbols) {
          add(before + konfig::shorten_qualname(symbol->qualname), group.name);
        }
      }
    }
  }

  void positional() {
    for (auto* option : command_.get_options()) {
      if (option->get_positional()) values(*option, "");
    }
  }

  const CLI::App& command_;
  std::vector<std::string> words_;
  std::string word_;
  std::vector<Candidate> out_;
};

}  // namespace

std::vector<Candidate> complete(const CLI::App& app, std::vector<std::string> words) {
  if (words.empty()) words.emplace_back();
  return Completer(app, std::move(words)).run();
}

int print_candidates(const CLI::App& app, std::vector<std::string> words) {
  auto candidates = complete(app, std::move(words));
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
