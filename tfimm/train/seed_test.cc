// The code of the training framework's page, block by block.
#include <gtest/gtest.h>

#include "tfimm/train/train.h"

namespace seed {

using tfimm::train::Any;
using tfimm::train::Required;

struct ModelConfig {
  Required<std::string> model_name;
};
struct Model {
  using cfg_class = ModelConfig;
};

struct ClassificationConfig {
  Required<int> nb_classes;
};

struct ClassificationProblem {
  using cfg_class = ClassificationConfig;
  explicit ClassificationProblem(const ClassificationConfig& cfg) : nb_classes(cfg.nb_classes) {}
  int nb_classes;
};

// "Configuration classes can be arbitrarily nested."
struct NestedConfig {
  Required<int> nb_classes;
  Any model;
  Required<std::string> model_class;
};
struct NestedProblem {
  using cfg_class = NestedConfig;
};

struct ExperimentConfig {
  Any problem;
  Required<std::string> problem_class;
};

}  // namespace seed

CFG_SERIALIZABLE(seed::ClassificationProblem);
CFG_SERIALIZABLE(seed::NestedProblem);
CFG_SERIALIZABLE(seed::Model);

namespace seed {
namespace {

using namespace tfimm::train;

TEST(Seeds, GetClassConstructsTheProblem) {
  ExperimentConfig cfg{.problem = ClassificationConfig{.nb_classes = 10},
                       .problem_class = "ClassificationProblem"};
  auto problem = get_class(cfg.problem_class)(cfg.problem);
  EXPECT_EQ(problem.as<ClassificationProblem>().nb_classes, 10);
  EXPECT_EQ(cfg.problem.as<ClassificationConfig>().nb_classes, 10);
}

// "The function `run(cfg)` uses the information in `problem_class` to construct the correct problem
// class, ... using the configuration provided by the `problem` field."
Made run(const ExperimentConfig& cfg) {
  auto problem = get_class(cfg.problem_class)(cfg.problem);
  return problem;
}

TEST(Seeds, RunConstructsWhatTheConfigNames) {
  const ExperimentConfig cfg{
      .problem = ClassificationConfig{.nb_classes = 10},
      .problem_class = "ClassificationProblem",
  };
  EXPECT_EQ(run(cfg).as<ClassificationProblem>().nb_classes, 10);
}

TEST(Seeds, ConfigurationsAsDictionaries) {
  const ExperimentConfig cfg{.problem = ClassificationConfig{.nb_classes = 10},
                             .problem_class = "ClassificationProblem"};
  const Dict nested_cfg = {
      {"problem", Dict{{"nb_classes", 10}}},
      {"problem_class", "ClassificationProblem"},
  };
  const Dict flat_cfg = {
      {"problem.nb_classes", 10},
      {"problem_class", "ClassificationProblem"},
  };
  EXPECT_EQ(Value(nested_cfg), Value(to_dict_format(cfg)));
  EXPECT_TRUE(same(cfg, from_dict<ExperimentConfig>(to_cls_format(nested_cfg))));
  EXPECT_EQ(Value(flat_cfg), Value(deep_to_flat(nested_cfg)));
  EXPECT_EQ(Value(nested_cfg), Value(flat_to_deep(flat_cfg)));

  Dict nested = to_dict_format(cfg);
  Dict flat = deep_to_flat(nested);
  auto again = from_dict<ExperimentConfig>(to_cls_format(flat_to_deep(flat)));
  EXPECT_TRUE(same(cfg, again));
  EXPECT_EQ(cfg.problem, again.problem);
}

TEST(Seeds, ConfigurationDiscovery) {
  const ExperimentConfig cfg{.problem = nullptr, .problem_class = ""};
  const auto parsed =
      parse_args(cfg, {"--problem_class=ClassificationProblem", "--problem.nb_classes=10"});
  EXPECT_EQ(parsed.problem.as<ClassificationConfig>().nb_classes, 10);
  // "If default values for any of the discovered parameters are present ... in the `cfg` object
  // passed to `parse_args()`, these will be applied."
  const ExperimentConfig code{.problem = ClassificationConfig{.nb_classes = 3},
                              .problem_class = "ClassificationProblem"};
  const auto applied = parse_args(code, std::vector<std::string>{});
  EXPECT_EQ(applied.problem.as<ClassificationConfig>().nb_classes, 3);
}

TEST(Seeds, ConfigurationsNest) {
  const auto parsed =
      parse_args(ExperimentConfig{.problem_class = ""},
                 {"--problem.model.model_name=resnet18", "--problem.model_class=Model",
                  "--problem.nb_classes=10", "--problem_class=NestedProblem"});
  const auto& problem = parsed.problem.as<NestedConfig>();
  EXPECT_EQ(problem.model.as<ModelConfig>().model_name.value(), "resnet18");
}

TEST(Seeds, MainParsesItsArguments) {
  const char* argv[] = {"script", "--problem_class=ClassificationProblem",
                        "--problem.nb_classes=10"};
  const int argc = 3;
  const auto cfg = parse_args(ExperimentConfig{.problem_class = ""}, argc, argv);
  EXPECT_EQ(cfg.problem_class.value(), "ClassificationProblem");
}

}  // namespace
}  // namespace seed
