#include "cli/run_words.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "cli/config_source.h"
#include "cli/errors.h"
#include "kd/problems/run.h"
#include "konfig/error.h"
#include "konfig/json.h"
#include "loader/loader.h"
#include "tfimm/train/parse_args.h"
#include "tfimm/train/registry.h"

namespace cli {

using kd::problems::ExperimentConfig;

namespace {

constexpr std::string_view kLoad = "--load";
constexpr std::string_view kFile = "--cfg_file";
constexpr std::string_view kTrainer = "\"kauldron.kd:train.Trainer\"";

bool is_flag(const std::string& word) { return word.starts_with("--"); }

std::string name_of(const std::string& word) { return word.substr(0, word.find('=')); }

// Flags of LightningCLI, with what does the same here.
void refuse_lightning(const std::vector<std::string>& flags) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string& word = flags[i];
    const std::string name = name_of(word);
    if (name == "--print_config") {
      throw UsageError("--print_config: unknown flag; did you mean --print=yaml?");
    }
    if (name != "--config" && name != "-c") continue;
    const bool has_value = word.size() > name.size();
    const std::string file = has_value              ? word.substr(name.size() + 1)
                             : i + 1 < flags.size() ? flags[i + 1]
                                                    : "FILE.yaml";
    throw UsageError(name + ": unknown flag; did you mean --cfg_file=" + file + "?");
  }
}

// A class that is not known may be one of the user's own.
UsageError wrong_words(const std::string& text, const RunWords& words) {
  const bool unknown_class = text.find("no class is registered as") != text.npos ||
                             text.find("nothing is registered under the name") != text.npos;
  return UsageError(text + (unknown_class && words.files.empty()
                                ? "\nA class of your own needs its file: --load=FILE.cc"
                                : ""));
}

// What the flags start from, and those that are left.
struct Start {
  ExperimentConfig cfg = {};
  std::vector<std::string> flags = {};
};

// Whether a file has a kd.train.Trainer, and not an experiment as YAML.
bool is_lowered(const std::string& text, const std::string& file) {
  return (text.starts_with('{') && text.find(kTrainer) != text.npos) || is_config_of_run(file);
}

konfig::ConfigDict config_in(const std::string& text, const std::string& file) {
  try {
    return konfig::config_from_json(text);
  } catch (const konfig::Error& e) {
    throw e.with(advice_if_damaged(file));
  }
}

// --cfg_file may name what `--print=kd` wrote: the experiment in it is then the start. Any other
// file is left to parse_args.
Start start_of(const RunWords& words) {
  const std::vector<std::string>& flags = words.flags;
  std::string file;
  std::vector<std::string> others;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string name = name_of(flags[i]);
    if (name.size() < 3 || !kFile.starts_with(name)) {
      others.push_back(flags[i]);
    } else if (flags[i].size() > name.size()) {
      file = flags[i].substr(name.size() + 1);
    } else if (i + 1 < flags.size()) {
      file = flags[++i];
    }
  }
  std::error_code ignored;  // a pipe is read once
  const auto text =
      std::filesystem::is_regular_file(file, ignored) ? base::try_read_file(file) : std::nullopt;
  if (!text || !is_lowered(*text, file)) return {.flags = flags};
  Start out{.flags = others};
  try {
    out.cfg = kd::problems::experiment_of(config_in(*text, file));
  } catch (const konfig::Error& e) {
    throw wrong_words("--cfg_file: " + file + ": " + kd::problems::text_of(e), words);
  }
  out.cfg.cfg_file = "";  // the file that it was read from may be another one by now
  return out;
}

}  // namespace

RunWords take_run_words(std::vector<std::string>& args, const std::vector<std::string>& own) {
  RunWords out;
  std::vector<std::string> rest(args.begin(), args.begin() + (args.empty() ? 0 : 1));
  for (std::size_t i = 1; i < args.size(); ++i) {
    const std::string name = name_of(args[i]);
    const bool has_value = args[i].size() > name.size();
    const bool next = !has_value && i + 1 < args.size();
    if (name == kLoad) {
      const std::string file = has_value ? args[i].substr(name.size() + 1) : next ? args[++i] : "";
      if (file.empty()) throw UsageError("--load: expects a C++ file: --load=my_problem.cc");
      out.files.push_back(file);
    } else if (std::ranges::find(own, name) != own.end()) {
      rest.push_back(args[i]);
    } else if (std::ranges::find(own, name + "=") != own.end()) {
      rest.push_back(args[i]);
      if (next) rest.push_back(args[++i]);
    } else {
      out.flags.push_back(args[i]);
      if (is_flag(args[i]) && next && !is_flag(args[i + 1])) out.flags.push_back(args[++i]);
    }
  }
  args = std::move(rest);
  return out;
}

void load_classes(const RunWords& words) {
  for (const std::string& file : words.files) {
    try {
      loader::load_types(file);
      tfimm::train::check_registered();
    } catch (const konfig::Error& e) {
      throw UsageError("--load: " + std::string(e.what()));
    }
  }
}

ExperimentConfig parse_experiment(const RunWords& words) {
  refuse_lightning(words.flags);
  load_classes(words);
  const Start start = start_of(words);
  try {
    return tfimm::train::parse_args(start.cfg, start.flags);
  } catch (const konfig::Error& e) {
    throw wrong_words(e.what(), words);
  }
}

std::string experiment_help(const RunWords& words) {
  load_classes(words);
  Start start = start_of(words);
  start.flags.emplace_back("--help");
  try {
    tfimm::train::parse_args(start.cfg, start.flags);
  } catch (const tfimm::train::HelpRequested& help) {
    return help.text();
  } catch (const konfig::Error& e) {  // a file that cannot be read
    return "error: " + std::string(e.what()) + "\n";
  }
  return "";
}

std::vector<Candidate> complete_experiment(const RunWords& words, const std::string& word) {
  std::vector<Candidate> out;
  try {
    load_classes(words);
    const Start start = start_of(words);
    for (auto& flag : tfimm::train::complete_args(start.cfg, start.flags, word)) {
      out.push_back({flag});
    }
  } catch (const std::exception&) {
    // Completion never complains.
  }
  return out;
}

}  // namespace cli
