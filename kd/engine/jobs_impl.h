// What the engine does for a program. Library only.
#pragma once

#include "kd/engine/options.h"

namespace kd::engine {

JobResult train_job(const Job& job);
JobResult experiment_job(const ExperimentJob& job);
JobResult eval_job(const Job& job);
JobResult check_job(const Job& job);
JobResult inspect_job(const Job& job);

}  // namespace kd::engine
