// Plans that cannot be recorded or run.
#pragma once

#include "konfig/error.h"
#include "kxm/plan.h"

namespace kxm {

// Units of a plan are numbered on from others that are not the last ones any more: another process
// has added some. It is to be planned again.
class OutdatedPlan : public konfig::Error {
 public:
  using konfig::Error::Error;
};

// An Error names the unit and the job: jobs without a program, names given twice, `after` that
// names no job or leads back to itself, texts with a zero byte.
void check_units(const Plan& plan);

}  // namespace kxm
