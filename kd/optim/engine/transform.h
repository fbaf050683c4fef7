// Runs gradient transformations: pure functions of trees, as in Optax.
//
//   Tree state = optim::init(optimizer, params);
//   auto [updates, next] = optim::update(optimizer, grads, state, params);
//   params = optim::apply_updates(params, updates);
//
// A Stepper (kd/optim/engine/stepper.h) does the last two lines at once, in place, and faster.
//
// Your own transformation is a struct with fields and one of:
//
//   Tree update(const Tree& grads) const;                        // without state
//   Tree update(const Tree& grads, const Tree& params) const;
//   Tree init(const Tree& params) const;                         // with state
//   optim::Update update(const Tree& grads, const Tree& state, const Tree& params) const;
//   Poly<Optimizer> expand() const;                              // made of others
//
// and, where they apply:
//
//   // a copy with change(part) for each optimizer in it: lets a Stepper expand those once
//   Poly<Optimizer> with_parts(const optim::ChangePart& change) const;
//   bool accepts_integers() const;  // true: it leaves parameters alone that are whole numbers
//
//   KD_COMPONENT(kd::Optimizer, MyTransformation);
//
// Transformations of this library have the same members, declared next to their fields and defined
// in a source that sees libtorch. Those that a Stepper can fuse also have
// `bool fuse(Tree& state, Fusion& fusion) const`. Fields keep the names of Optax: where a local
// variable or a helper function would have the name of a field, it takes another one.
//
// A state must not share memory with parameters or gradients: clone what is kept of them.
#pragma once

#include "kd/core/interfaces.h"
#include "kd/core/tree.h"
#include "kd/optim/engine/optimizer_ops.h"

namespace kd::optim {

// The state before the first step.
Tree init(const Poly<Optimizer>& optimizer, const Tree& params);

// One step. Without `params` a transformation that needs them is an Error. Trees must have the
// same structure and shapes, and hold floating-point numbers.
Update update(const Poly<Optimizer>& optimizer, const Tree& grads, const Tree& state,
              const Tree& params = {});

// params + updates, in the dtypes of the parameters.
Tree apply_updates(const Tree& params, const Tree& updates);

// The pair of parameters that Lookahead works on: `fast` for training, `slow` for evaluation.
Tree lookahead_params(const Tree& params);

// The parameters with their averages in place, found in an optimizer's state.
struct UseEmaParams;
Tree use_ema_params(const UseEmaParams& options, const Tree& params, const Tree& opt_state);

}  // namespace kd::optim
