// Cube: the third power of an error.
#pragma once

#include "kd/losses/common.h"

namespace kd::losses {

// The third power of the absolute error.
struct Cube {
  Key preds = Key::required();    // what the model says
  Key targets = Key::required();  // what it should say
  Float<"*a"> get_values(Float<"*a"> preds, Float<"*a"> targets) const;
};

}  // namespace kd::losses

KONFIG_COMPONENT(kd::Loss, kd::losses::Cube, "kd.losses:Cube", "kd.losses:ThirdPower");
