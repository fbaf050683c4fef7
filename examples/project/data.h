// Where the examples come from: points on the arms of a spiral, and on which arm each lies.
#pragma once

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include <cmath>

#include "kd/data/engine/records.h"
#include "kd/random/sample.h"

namespace my_project {

// Each record is a function of its number, so that any order of reading gives the same data.
struct Spiral {
  int n = 2000;         // how many points
  int arms = 3;         // classes
  double noise = 0.05;  // how far points lie from their arm
  int seed = 0;         // another seed, other points

  std::int64_t size() const { return n; }
  kd::Tree record(std::int64_t i) const {
    const kd::random::Key key = fold_in(kd::random::key(seed), static_cast<std::uint32_t>(i));
    const std::int64_t arm = i % arms;
    const double radius = static_cast<double>(i + 1) / n;
    const double angle = 2 * M_PI * (static_cast<double>(arm) / arms + radius);
    const at::Tensor centre =
        at::tensor({radius * std::cos(angle), radius * std::sin(angle)}, at::kFloat);
    return kd::Tree::dict({{"point", centre + kd::random::normal(key, {2}) * noise},
                           {"label", at::full({1}, arm, at::kInt)}});
  }
};

}  // namespace my_project

KD_COMPONENT(kd::Source, my_project::Spiral);
