// Jobs in the queue of a cluster, as it sees them now: where they run, why they wait, what is left
// of their time.
#pragma once

#include <vector>

#include "kxm/state.h"

namespace cli {

// Of running units of the experiment: fills in `where` of attempts that have not ended, says
// `waiting` of jobs that have been submitted but do not run yet, and how those ended that the
// cluster ended before they could note it; their states and the counts of the experiment change
// with that. The cluster is asked once for all of them, and not for long; where it does not answer,
// and of other executors, all stays as it is.
void look_in_queue(kxm::ExperimentRow& experiment, std::vector<kxm::UnitRow>& units);

}  // namespace cli
