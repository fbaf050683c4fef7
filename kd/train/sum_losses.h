// The losses of a step, added up. As losses::compute_losses, with Errors that name the place in the
// config.
#pragma once

#include "kd/losses/loss.h"
#include "kd/train/context.h"

namespace kd::train {

// In order of the names.
losses::LossesResult sum_losses(const Map<Poly<Loss>>& losses, const Context& context);

}  // namespace kd::train
