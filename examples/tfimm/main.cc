// An experiment of registered classes, configured by flags and files: docs/tfimm.md explains it.
#include <iostream>
#include <memory>
#include <string>
#include <tuple>

#include "tfimm/train/train.h"

using namespace tfimm::train;

struct ModelConfig {
  Required<std::string> model_name;  // must be given
  std::tuple<int, int> input_size = {28, 28};
};
struct ModelFactory {
  using cfg_class = ModelConfig;
  explicit ModelFactory(const ModelConfig& cfg) : cfg(cfg) {}
  ModelConfig cfg;
};
CFG_SERIALIZABLE(ModelFactory);  // at global scope

struct ClassificationConfig {
  Required<int> nb_classes;
  double weight_decay = 0.01;
  Any model;                                 // a config of any class ...
  std::string model_class = "ModelFactory";  // ... whose name is beside it
};
struct ClassificationProblem {
  using cfg_class = ClassificationConfig;
  explicit ClassificationProblem(const ClassificationConfig& cfg)
      : model(get_class(cfg.model_class)(cfg.model).share<ModelFactory>()) {}
  std::shared_ptr<ModelFactory> model;
};
CFG_SERIALIZABLE(ClassificationProblem);

struct ExperimentConfig {
  Any problem;
  Required<std::string> problem_class;
  std::string cfg_file = "";  // a field of this name makes --cfg_file read YAML
};

int main(int argc, char** argv) {
  const auto cfg = parse_args(ExperimentConfig{}, argc, argv);
  auto problem = get_class(cfg.problem_class)(cfg.problem);
  std::cout << pprint(cfg);
  return problem.as<ClassificationProblem>().model->cfg.model_name->empty() ? 1 : 0;
}
