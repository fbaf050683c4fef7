#include "cli/run_words.h"

#include <algorithm>

#include "cli/errors.h"
#include "konfig/error.h"
#include "loader/loader.h"
#include "tfimm/train/parse_args.h"

namespace cli {

using kd::problems::ExperimentConfig;

namespace {

constexpr std::string_view kLoad = "--load";

bool is_flag(const std::string& word) { return word.starts_with("--"); }

std::string name_of(const std::string& word) { return word.substr(0, word.find('=')); }

}  // namespace

RunWords take_run_words(std::vector<std::string>& args, const std::vector<std::string>& own) {
  RunWords out;
  std::vector<std::string> rest(args.begin(), args.begin() + (args.empty() ? 0 : 1));
  for (std::size_t i = 1; i < args.size(); ++i) {
    const std::string name = name_of(args[i]);
    const bool has_value = args[i].size() > name.size();
    const bool next = !has_value && i + 1 < args.size();
    if (name == kLoad) {
      if (!has_value && !next) throw UsageError("--load: expects a C++ file: --load=my_problem.cc");
      out.files.push_back(has_value ? args[i].substr(name.size() + 1) : args[++i]);
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
    } catch (const konfig::Error& e) {
      throw UsageError("--load: " + std::string(e.what()));
    }
  }
}

ExperimentConfig parse_experiment(const RunWords& words) {
  load_classes(words);
  try {
    return tfimm::train::parse_args(ExperimentConfig(), words.flags);
  } catch (const konfig::Error& e) {
    const std::string text = e.what();
    const bool unknown_class = text.find("no class is registered as") != text.npos;
    throw UsageError(text + (unknown_class && words.files.empty()
                                 ? "\nA class of your own needs its file: --load=FILE.cc"
                                 : ""));
  }
}

std::string experiment_help(const RunWords& words) {
  load_classes(words);
  std::vector<std::string> flags = words.flags;
  flags.emplace_back("--help");
  try {
    tfimm::train::parse_args(ExperimentConfig(), flags);
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
    for (auto& flag : tfimm::train::complete_args(ExperimentConfig(), words.flags, word)) {
      out.push_back({flag});
    }
  } catch (const std::exception&) {
    // Completion never complains.
  }
  return out;
}

}  // namespace cli
