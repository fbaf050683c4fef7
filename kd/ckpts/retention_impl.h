// Which checkpoints stay by the options of a Checkpointer. Library only.
#pragma once

#include <vector>

#include "kd/ckpts/checkpointer.h"
#include "kd/ckpts/retention.h"

namespace kd::ckpts {

// For each checkpoint, in order of their steps, whether it stays.
Kept kept(const Checkpointer& options, const std::vector<Info>& infos);

}  // namespace kd::ckpts
