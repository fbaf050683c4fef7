// What a schedule's fields must be, checked when a config is resolved and again when it is run.
#pragma once

#include <utility>
#include <vector>

#include "kd/optim/piecewise.h"
#include "kd/optim/schedules.h"

namespace kd::optim {

void check(const CosineDecay& schedule);
void check(const WarmupCosineDecay& schedule);
void check(const PiecewiseInterpolate& schedule);
void check(const LinearOnecycle& schedule);
void check(const CosineOnecycle& schedule);

// The steps and scales of `{100: 0.1, 200: 0.5}`, sorted. Keys may be whole numbers or their text.
// An Error when a key is none, or a scale is no number or negative.
std::vector<std::pair<int, double>> boundaries_of(const konfig::Value& boundaries_and_scales);

}  // namespace kd::optim
