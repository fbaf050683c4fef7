// Stepper: an optimizer that changes the parameters in place, as fast as it can.
//
//   optim::Stepper stepper(trainer.optimizer);
//   Tree state = stepper.init(params);
//   for (int i = 0; ...) stepper.step(params, grads, state);
//
// The same numbers as optim::update and apply_updates, bit for bit. The tensors of `params` and
// `state` are overwritten: whoever shares them sees the change. Chains of transformations that work
// element by element, such as Adam, AdamW, SGD, Lion, clipping by the global norm, schedules, masks
// and averages of the parameters, run as one pass when all leaves are float32 on the CPU; others
// run one tensor operation after the other.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "kd/core/interfaces.h"
#include "kd/core/tree.h"

namespace kd::optim {

// Which leaves a mask marks, found out once for all steps: by transformation, and which of its
// masks.
using MaskMemory = std::map<std::pair<const void*, int>, std::vector<bool>>;

class Stepper {
 public:
  explicit Stepper(const Poly<Optimizer>& optimizer);
  Stepper(Stepper&&) = default;
  Stepper& operator=(Stepper&&) = default;

  Tree init(const Tree& params) const;
  void step(Tree& params, const Tree& grads, Tree& state);
  // The plain way, for comparison.
  void step_plain(Tree& params, const Tree& grads, Tree& state) const;

  bool last_was_fused() const { return fused_; }
  const Poly<Optimizer>& optimizer() const { return optimizer_; }

 private:
  Poly<Optimizer> optimizer_;  // expanded: made of transformations only
  MaskMemory memory_;
  bool can_fuse_ = true;
  bool fused_ = false;
};

// The same optimizer with shorthands such as Adam replaced by what they are made of.
Poly<Optimizer> expanded(const Poly<Optimizer>& optimizer);

}  // namespace kd::optim
