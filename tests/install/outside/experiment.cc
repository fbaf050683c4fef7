// Uses an installed tfimm, which needs konfig only.
#include <string>
#include <vector>

#include "tfimm/train/train.h"

struct ProblemConfig {
  tfimm::train::Required<int> nb_classes;  // logits of the "head"
};
struct Problem {
  using cfg_class = ProblemConfig;
  explicit Problem(const ProblemConfig& cfg) : nb_classes(cfg.nb_classes) {}
  int nb_classes;
};
CFG_SERIALIZABLE(Problem);

struct ExperimentConfig {
  tfimm::train::Any problem;
  tfimm::train::Required<std::string> problem_class;
};

// The comment beside the field, which the build reads.
bool has_docs() {
  try {
    tfimm::train::parse_args(ExperimentConfig{}, {"--problem_class=Problem", "--help"});
  } catch (const tfimm::train::HelpRequested& help) {
    return help.text().find("logits of the \"head\"") != std::string::npos;
  }
  return false;
}

int main() {
  if (!has_docs()) return 2;
  const std::vector<std::string> args = {"--problem.nb_classes=3", "--problem_class=Problem"};
  const auto cfg = tfimm::train::parse_args(ExperimentConfig{}, args);
  const auto problem = tfimm::train::get_class(cfg.problem_class)(cfg.problem);
  return problem.as<Problem>().nb_classes == 3 ? 0 : 1;
}
