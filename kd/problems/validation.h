// The validation of experiments.
#pragma once

#include <memory>
#include <string>

#include "kd/evals/evaluators.h"
#include "konfig/config_dict.h"

namespace kd::problems {

// The trainer's metrics over a dataset, logged by their names alone: "acc".
struct Validation {
  std::string name = "val";                                        // the key in `evals`
  Poly<RunStrategy> run;                                           // when
  Poly<Pipeline> ds;                                               // the data
  konfig::Inherit<Poly<MetricWriter>, "writer"> writer = inherit;  // where the values go
  std::unique_ptr<evals::EvaluatorRun> open(const train::Trainer& trainer,
                                            const std::string& key) const;
};

// Validation of embeddings by a dataset that has a `validation` (kd/problems/engine/problem.h);
// none is made by another one.
struct DatasetValidation {
  std::string name = "val";                                        // the key in `evals`
  Poly<RunStrategy> run;                                           // when
  Required<std::string> dataset_class;                             // its registered name
  konfig::ConfigDict dataset = {};                                 // the fields of its config
  konfig::Inherit<Poly<MetricWriter>, "writer"> writer = inherit;  // where the values go
  std::unique_ptr<evals::EvaluatorRun> open(const train::Trainer& trainer,
                                            const std::string& key) const;
};

// The validation of a problem that computes.
struct ProblemValidation {
  std::string name = "val";                                        // the key in `evals`
  Poly<RunStrategy> run;                                           // when
  Poly<Pipeline> ds;                                               // the data
  konfig::Inherit<Poly<MetricWriter>, "writer"> writer = inherit;  // where the values go
  std::unique_ptr<evals::EvaluatorRun> open(const train::Trainer& trainer,
                                            const std::string& key) const;
};

}  // namespace kd::problems

KONFIG_COMPONENT(kd::Evaluator, kd::problems::Validation);
KONFIG_COMPONENT(kd::Evaluator, kd::problems::DatasetValidation);
KONFIG_COMPONENT(kd::Evaluator, kd::problems::ProblemValidation);
