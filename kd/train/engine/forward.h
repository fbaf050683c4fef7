// A call of the model with what its keys lead to.
#pragma once

#include <cstdint>

#include "kd/nn/engine/apply.h"
#include "kd/train/engine/auxiliaries.h"
#include "kd/train/engine/context.h"

namespace kd::train {

// What a call of the model gave. A context refers to it.
struct Forward {
  kontext::TreeRef preds = {};
  nn::Interms interms = {};
  Tree collections = {};  // after the call
};

struct ForwardOptions {
  nn::Rngs rngs = {};
  bool is_training = true;
  bool capture = true;  // records what modules give, for keys that start with `interms`
};

// {"params": ..., "batch_stats": ...}
Tree variables_of(Tree params, const Tree& collections);

// The model finds its arguments in the context, of which step and batch are there.
Forward forward(const Poly<Module>& model, const Tree& variables, const Context& context,
                const ForwardOptions& options);

// A first call: its collections are all variables, `params` among them.
Forward first_forward(const Poly<Module>& model, const Context& context, const nn::Rngs& rngs);

// Puts what a forward gave into the context.
void add_forward(Context& context, const Forward& forward);

// Zeros of the spec; 64-bit numbers become 32-bit ones. With `rows`, that many examples.
Tree mock_batch(const Tree& spec, std::int64_t rows = 0);

// Whether one of the groups has a key that starts with this root.
bool needs_root(const Auxiliaries& aux, const Returns& returns, std::string_view root);

}  // namespace kd::train
