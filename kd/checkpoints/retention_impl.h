// Which checkpoints stay. Library only.
#pragma once

#include <vector>

#include "kd/checkpoints/manager.h"

namespace kd::ckpts {

// For each checkpoint, in order of their steps, whether it stays.
std::vector<bool> kept(const Checkpointer& options, const std::vector<Info>& infos);

}  // namespace kd::ckpts
