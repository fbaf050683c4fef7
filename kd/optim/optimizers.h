// All optimizers: gradient transformations, alone or chained. kd/optim/engine/transform.h runs
// them.
//
//   cfg.optimizer = optim::Chain{{optim::ClipByGlobalNorm{1.0},
//                                 optim::AdamW{.learning_rate = lr, .weight_decay = 0.05}}};
//
// Names, fields and defaults are those of Optax; docs/optim.md lists them.
#pragma once

// IWYU pragma: begin_exports
#include "kd/optim/adam.h"
#include "kd/optim/combine.h"
#include "kd/optim/descent.h"
#include "kd/optim/layerwise.h"
#include "kd/optim/masks.h"
#include "kd/optim/piecewise.h"
#include "kd/optim/scale.h"
#include "kd/optim/scale_more.h"
#include "kd/optim/schedules.h"
#include "kd/optim/transforms.h"
#include "kd/optim/wrappers.h"
// IWYU pragma: end_exports
