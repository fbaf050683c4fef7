// The problems: classification, and distillation of embeddings.
#pragma once

#include <string>

#include "kd/problems/classes.h"

namespace kd::problems {

struct ClassificationConfig {
  Any model;                          // gives the logits
  Required<std::string> model_class;  // ModelFactory, EmbeddingModelFactory, SavedModel
  Any optimizer;                      // how gradients become updates
  std::string optimizer_class = "OptimizerFactory";  // OptimizerFactory
  bool binary_loss = false;                          // one logit, that of class 1; class 0 has 0
  double weight_decay = 0.0;                         // factor of the sum of all squared weights
  bool mixed_precision = false;                      // refused: computes in float32
  std::string save_input_dtype = "float32";          // of the images that the saved model takes
};

struct ClassificationProblem : ProblemClass {
  using cfg_class = ClassificationConfig;
  explicit ClassificationProblem(const ClassificationConfig& cfg) : cfg(cfg) {}
  void lower_into(train::Trainer& trainer, const Experiment& experiment) const override;
  ClassificationConfig cfg;
};

struct DistillationConfig {
  Any student;                          // gives embeddings, and learns
  Required<std::string> student_class;  // EmbeddingModelFactory, ModelFactory, SavedModel
  Any teacher;                          // gives the embeddings to learn
  Required<std::string> teacher_class;  // SavedModel, EmbeddingModelFactory, ModelFactory
  Any optimizer;                        // how gradients become updates
  std::string optimizer_class = "OptimizerFactory";  // OptimizerFactory
  bool normalize_embeddings = true;                  // to length 1, before they are compared
  double weight_decay = 0.0;                         // factor of the mean of all squared weights
  bool mixed_precision = false;                      // refused: computes in float32
};

struct DistillationProblem : ProblemClass {
  using cfg_class = DistillationConfig;
  explicit DistillationProblem(const DistillationConfig& cfg) : cfg(cfg) {}
  void lower_into(train::Trainer& trainer, const Experiment& experiment) const override;
  DistillationConfig cfg;
};

}  // namespace kd::problems

KONFIG_TYPE(kd::problems::ClassificationConfig, "tfimm.train:ClassificationConfig");
KONFIG_TYPE(kd::problems::DistillationConfig, "tfimm.train:DistillationConfig");
