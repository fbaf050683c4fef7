// Context: what the keys of models, losses, metrics and summaries lead into. A view: it refers to
// the step's values and copies none.
//
//   Context context{.step = 3, .batch = batch, .params = params};
//   kontext::get_by_path(context, "batch.image");
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kd/core/tree.h"
#include "kd/train/engine/aux_state.h"
#include "kontext/keys.h"

namespace kd::train {

// Roots that do not exist yet, or not in this mode, are empty: an evaluation has no gradients.
struct Context {
  std::int64_t step = 0;  // of the training
  kontext::TreeRef batch = {};
  kontext::TreeRef params = {};  // before the update
  kontext::TreeRef collections = {};
  kontext::TreeRef preds = {};    // what the model gave
  kontext::TreeRef interms = {};  // what its modules gave
  const NamedStates* loss_states = nullptr;
  Tensor loss_total = {};
  kontext::TreeRef grads = {};
  kontext::TreeRef updates = {};
  kontext::TreeRef opt_state = {};   // before the update
  kontext::TreeRef subgrads = {};    // by loss, with several optimizers
  kontext::TreeRef subupdates = {};  // by loss, with several optimizers
  const NamedStates* metric_states = nullptr;
  const NamedStates* summary_states = nullptr;
};

// "step", "batch", ... in this order.
std::span<const std::string_view> context_roots();

// The first part of every key; an Error for one that is no root names the right one.
void add_roots(std::vector<std::string>& roots, const kontext::KeyPaths& keys);

// Everything there is, as one tree.
Tree to_tree(const Context& context);

}  // namespace kd::train

template <>
struct kontext::TreeTraits<kd::train::Context> {
  static constexpr Shape shape = Shape::map;
  static constexpr std::string_view spoken = "context";
  static TreeRef item(const kd::train::Context& context, const Part& part);
  static bool each(const kd::train::Context& context, const Visit& visit);
};
