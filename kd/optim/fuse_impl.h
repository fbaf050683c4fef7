// Which transformations can be part of a fused step. Declared here, so that each is known where its
// transformation is implemented; defined in fuse.cc.
#pragma once

#include "kd/optim/combine.h"
#include "kd/optim/fusion_impl.h"
#include "kd/optim/scale.h"
#include "kd/optim/scale_more.h"
#include "kd/optim/schedule.h"
#include "kd/optim/transforms.h"

namespace kd::optim {

bool fuse(const Identity& t, Tree& state, Fusion& fusion);
bool fuse(const SetToZero& t, Tree& state, Fusion& fusion);
bool fuse(const Clip& t, Tree& state, Fusion& fusion);
bool fuse(const ClipByGlobalNorm& t, Tree& state, Fusion& fusion);
bool fuse(const Scale& t, Tree& state, Fusion& fusion);
bool fuse(const ScaleBySchedule& t, Tree& state, Fusion& fusion);
bool fuse(const ScaleByLearningRate& t, Tree& state, Fusion& fusion);
bool fuse(const ScaleBySign& t, Tree& state, Fusion& fusion);
bool fuse(const ScaleByAdam& t, Tree& state, Fusion& fusion);
bool fuse(const ScaleByLion& t, Tree& state, Fusion& fusion);
bool fuse(const ScaleByRms& t, Tree& state, Fusion& fusion);
bool fuse(const Trace& t, Tree& state, Fusion& fusion);
bool fuse(const Ema& t, Tree& state, Fusion& fusion);
bool fuse(const AddDecayedWeights& t, Tree& state, Fusion& fusion);
bool fuse(const DecayToInit& t, Tree& state, Fusion& fusion);
bool fuse(const EmaParams& t, Tree& state, Fusion& fusion);
bool fuse(const Chain& t, Tree& state, Fusion& fusion);
bool fuse(const NamedChain& t, Tree& state, Fusion& fusion);
bool fuse(const PairChain& t, Tree& state, Fusion& fusion);
bool fuse(const Masked& t, Tree& state, Fusion& fusion);
bool fuse(const Partition& t, Tree& state, Fusion& fusion);
bool fuse(const PartialUpdates& t, Tree& state, Fusion& fusion);
bool fuse(const SelectiveTransform& t, Tree& state, Fusion& fusion);

// The weight of the past in EmaParams.
Number ema_decay(const EmaParams& t, std::int32_t count);

}  // namespace kd::optim
