// Missing: a loss that is declared and never implemented; the linker refuses it.
#pragma once

#include "kd/losses/common.h"

namespace kd::losses {

// A loss without a source.
struct Missing {
  Key preds = Key::required();  // what the model says
  Float<"*a"> get_values(Float<"*a"> preds) const;
};

}  // namespace kd::losses

KONFIG_COMPONENT(kd::Loss, kd::losses::Missing, "kd.losses:Missing");
