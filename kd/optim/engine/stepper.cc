// Steps in place.
#include "kd/optim/engine/stepper.h"

#include <ATen/core/grad_mode.h>

#include "kd/optim/engine/fusion.h"
#include "kd/optim/engine/transform.h"
#include "kd/optim/zip_impl.h"

namespace kd::optim {

Poly<Optimizer> expanded(const Poly<Optimizer>& optimizer) {
  auto& ops = ops_of(optimizer);
  const void* self = optimizer.object().get();
  if (ops.expand) {
    if (auto made = ops.expand(self)) return expanded(made);
  }
  return ops.with_parts ? ops.with_parts(self, expanded) : optimizer;
}

Stepper::Stepper(const Poly<Optimizer>& optimizer) : optimizer_(expanded(optimizer)) {}

Tree Stepper::init(const Tree& params) const { return optim::init(optimizer_, params); }

void Stepper::step(Tree& params, const Tree& grads, Tree& state) {
  at::NoGradGuard no_grad;
  fused_ = false;
  if (can_fuse_) {
    Fusion fusion(params, grads, memory_);
    fused_ = can_fuse_ = fusion.usable() && fuse_inner(optimizer_, state, fusion);
    if (fused_) return fusion.run();
  }
  step_plain(params, grads, state);
}

namespace {

void add_in_place(Tree& params, const Tree& updates) {
  std::vector<const Tensor*> all;
  each(updates, [&](const Tensor& u) { all.push_back(&u); });
  std::size_t i = 0;
  each(params, [&](const Tensor& p) {
    const Tensor& u = *all[i++];
    if (u.scalar_type() == p.scalar_type()) {
      p.add_(u);
    } else {
      p.copy_(p + u);
    }
  });
}

}  // namespace

void Stepper::step_plain(Tree& params, const Tree& grads, Tree& state) const {
  at::NoGradGuard no_grad;
  Update next = update(optimizer_, grads, state, params);
  add_in_place(params, next.updates);
  state = std::move(next.state);
}

}  // namespace kd::optim
