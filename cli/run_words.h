// The command line of `kd run`: flags of kd itself, and those of the experiment, which depend on
// the classes that it names.
//
//   std::vector<std::string> args = {"run", "--print=yaml",
//                                    "--problem_class=ClassificationProblem"};
//   const RunWords words = take_run_words(args, {"--print="});   // leaves "run", "--print=yaml"
//   const kd::problems::ExperimentConfig cfg = parse_experiment(words);
#pragma once

#include <string>
#include <vector>

#include "cli/completer.h"
#include "kd/problems/experiment.h"

namespace cli {

struct RunWords {
  std::vector<std::string> flags = {};  // of the experiment: "--problem.lr=1", "--problem.lr", "1"
  std::vector<std::string> files = {};  // --load=: C++ with classes of the user's own
};

// Takes them out of `args`, whose first word is the verb. Those of kd, `own` among them, stay; a
// name that ends in '=' has a value.
RunWords take_run_words(std::vector<std::string>& args, const std::vector<std::string>& own);

// Loads the files, then parses the flags. What is wrong is a UsageError.
void load_classes(const RunWords& words);
kd::problems::ExperimentConfig parse_experiment(const RunWords& words);

// The flags with their types, defaults and docs, of all classes chosen so far.
std::string experiment_help(const RunWords& words);
std::vector<Candidate> complete_experiment(const RunWords& words, const std::string& word);

}  // namespace cli
