// Units for an experiment that is there already.
#pragma once

#include <string_view>

#include "kxm/plan.h"
#include "kxm/state.h"

namespace kxm {

// An Error for units that the experiment, or the launcher that runs it now, could not run.
void check_added(const State& state, const Plan& plan, std::string_view executor);

}  // namespace kxm
