// What the engine does for a program. Library only.
#pragma once

#include <functional>

#include "kd/engine/options.h"

namespace kd::train {
struct Event;  // kd/train/engine/train.h
}

namespace kd::engine {

JobResult train_job(const Job& job);
// With a listener, and without the model's table and the bar if they are not wanted.
struct Shown {
  std::function<void(const train::Event& event)> on_event = {};
  bool progress = true;
  const char* longer = "--cfg.num_train_steps=N makes it longer";  // advice for a finished run
};
JobResult train_job(const Job& job, const Shown& shown);
JobResult experiment_job(const ExperimentJob& job);
JobResult eval_job(const Job& job);
JobResult check_job(const Job& job);
JobResult eval_shape_job(const Job& job);
JobResult inspect_job(const Job& job);

}  // namespace kd::engine
