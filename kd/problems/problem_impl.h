// Problems that compute, as the loop uses them. Library only.
#pragma once

#include <memory>
#include <string>

#include "kd/problems/engine/problem.h"
#include "kd/train/engine/state.h"
#include "konfig/config_dict.h"

namespace kd::problems {

// A problem of a class and the fields of its config.
std::shared_ptr<ProblemBase> make_problem(const std::string& problem_class,
                                          const konfig::ConfigDict& problem,
                                          const konfig::ConfigDict& timekeeping);
// The dataset of a class and the fields of its config.
std::shared_ptr<DatasetBase> make_dataset(const std::string& dataset_class,
                                          const konfig::ConfigDict& dataset);

// The problem's variables as the state of a run, and back: parameters are what `model_only` gives,
// all else is the step's own.
train::TrainState with_variables(train::TrainState state, ProblemBase& problem);
void load_variables(ProblemBase& problem, const Tree& params, const Tree& rest);

}  // namespace kd::problems
