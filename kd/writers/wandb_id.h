// The ids of W&B's runs.
#pragma once

#include <string>

namespace kd::writers {

// An Error unless W&B takes it as the id of a run.
void check_wandb_id(const std::string& id);
// WANDB_RUN_ID, the id that a W&B agent gives a run; "": not set. An Error when it is no id.
std::string agents_run_id();

}  // namespace kd::writers
