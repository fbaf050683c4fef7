// Cancelling, as long as it takes.
#pragma once

#include "kxm/slurm/memory_impl.h"

namespace kxm::slurm {

// Repeats what has had no answer yet.
void cancel_again(Memory& m);

}  // namespace kxm::slurm
