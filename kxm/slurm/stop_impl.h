// Cancelling, as long as it takes.
#pragma once

#include "kxm/slurm/memory_impl.h"

namespace kxm::slurm {

// Cancels what is to be cancelled of a queue that was asked for just now, and tries again in the
// next poll if there is no answer.
void cancel_again(Memory& m, const Queue& queue);

}  // namespace kxm::slurm
