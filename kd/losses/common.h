// What the structs of all losses have in common.
#pragma once

#include <optional>

#include "kd/optim/schedules.h"
#include "kd/typing/typing_fwd.h"

namespace kd::losses {

// What a loss divides its sum by.
enum class NormalizeBy {
  mask,    // the sum of the mask
  values,  // the number of values, masked or not
};

}  // namespace kd::losses
