// Everything a file needs that defines models, losses, metrics or transforms of its own. It
// includes libtorch's tensors; a file that only configures includes kd/kd.h.
//
//   #include "kd/model.h"
//   using namespace kd;
//   struct Mlp : nn::Module<Mlp> { ... };
//   KD_COMPONENT(kd::Module, Mlp);
#pragma once

#include "kd/data/engine/transform.h"
#include "kd/kd.h"
#include "kd/losses/engine/loss.h"
#include "kd/metrics/engine/metric.h"
#include "kd/nn/engine/nn.h"
