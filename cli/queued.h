// Jobs in the queue of a cluster, as it sees them now: where they run, why they wait, what is left
// of their time.
#pragma once

#include <vector>

#include "kxm/state.h"

namespace cli {

// Fills in `where` of attempts that have not ended, and says `waiting` of jobs that have been
// submitted but do not run yet. The cluster is asked once for all of them, and not for long; where
// it does not answer, and of other executors, all stays as it is. Returns how many units wait.
int look_in_queue(const kxm::ExperimentRow& experiment, std::vector<kxm::UnitRow>& units);

}  // namespace cli
