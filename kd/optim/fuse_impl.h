// What fused and plain steps share.
#pragma once

#include "kd/optim/combine.h"
#include "kd/optim/fusion_impl.h"
#include "kd/optim/scale.h"
#include "kd/optim/scale_more.h"
#include "kd/optim/schedule.h"
#include "kd/optim/transforms.h"

namespace kd::optim {

// The weight of the past in EmaParams.
Number ema_decay(const EmaParams& t, std::int32_t count);

}  // namespace kd::optim
