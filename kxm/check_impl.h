// Plans that cannot be recorded or run.
#pragma once

#include "kxm/plan.h"

namespace kxm {

// An Error names the unit and the job: jobs without a program, names given twice, `after` that
// names no job or leads back to itself, texts with a zero byte.
void check_units(const Plan& plan);

}  // namespace kxm
