// Chains, masks and partitions.
#include "kd/optim/combine.h"

#include <set>

#include "kd/optim/check_impl.h"
#include "kd/optim/fuse_impl.h"
#include "kd/optim/mask.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/transform.h"
#include "kd/optim/transforms.h"
#include "konfig/error.h"

namespace kd::optim {

using konfig::Error;
using konfig::ErrorKind;

// ---- One after the other.

Tree init_state(const Chain& t, const Tree& params) {
  Tree states = Tree::list();
  for (auto& part : t.transforms) states.push_back(init_inner(part, params));
  return states;
}

Update transform(const Chain& t, const Tree& grads, const Tree& state, const Tree& params) {
  if (state.kind() != Tree::Kind::list || state.size() != t.transforms.size()) {
    throw Error(ErrorKind::value, "the chain has " + std::to_string(t.transforms.size()) +
                                      " transformations, its state is " +
                                      std::string(state.type()) + " of " +
                                      std::to_string(state.size()) +
                                      "; make the state with optim::init of this chain");
  }
  Tree updates = grads, states = Tree::list();
  for (std::size_t i = 0; i < t.transforms.size(); ++i) {
    Update next = update_inner(t.transforms[i], updates, state.child(i), params);
    updates = std::move(next.updates);
    states.push_back(std::move(next.state));
  }
  return {std::move(updates), std::move(states)};
}

namespace {

// Named parts in the order in which they were given.
template <class Parts>
Tree init_named(const Parts& parts, const Tree& params) {
  Tree::Items states;
  for (auto& [name, part] : parts) states.emplace_back(name, init_inner(part, params));
  return Tree::dict(std::move(states));
}

template <class Parts>
Update update_named(const Parts& parts, const Tree& grads, const Tree& state, const Tree& params) {
  Tree updates = grads;
  Tree::Items states;
  for (auto& [name, part] : parts) {
    Update next = update_inner(part, updates, state.at(name), params);
    updates = std::move(next.updates);
    states.emplace_back(name, std::move(next.state));
  }
  return {std::move(updates), Tree::dict(std::move(states))};
}

}  // namespace

Tree init_state(const NamedChain& t, const Tree& params) {
  return init_named(t.transforms, params);
}
Update transform(const NamedChain& t, const Tree& grads, const Tree& state, const Tree& params) {
  return update_named(t.transforms, grads, state, params);
}

Tree init_state(const PairChain& t, const Tree& params) { return init_named(t.transforms, params); }
Update transform(const PairChain& t, const Tree& grads, const Tree& state, const Tree& params) {
  return update_named(t.transforms, grads, state, params);
}

// ---- Parts of the parameters.

namespace {

Tree init_marked(const Poly<Optimizer>& inner, const Marks& marks, const Tree& params) {
  const Tree kept = keep(params, marks);
  if (!inner.holds<SetToZero>()) check_parameters(kept);
  return Tree::record("MaskedState", {{"inner_state", init_inner(inner, kept)}});
}

Update update_marked(const Poly<Optimizer>& inner, const Marks& marks, const Tree& grads,
                     const Tree& state, const Tree& params) {
  Update next = update_inner(inner, keep(grads, marks), field(state, "MaskedState", "inner_state"),
                             params.is_none() ? params : keep(params, marks));
  return {merge(marks, next.updates, grads),
          Tree::record("MaskedState", {{"inner_state", std::move(next.state)}})};
}

void check_labels(const LabelTree& labels, const Partition& t) {
  if (labels.is_whole && !labels.value.empty() && !t.transforms.contains(labels.value)) {
    std::string known;
    for (auto& [name, part] : t.transforms) known += (known.empty() ? "'" : ", '") + name + "'";
    throw Error(ErrorKind::value, "param_labels",
                "the label '" + labels.value + "' has no transformation; there are " +
                    (known.empty() ? "none" : known));
  }
  for (const LabelTree& child : labels.children) check_labels(child, t);
}

}  // namespace

Tree init_state(const Masked& t, const Tree& params) {
  return init_marked(*t.inner, marks_of(*t.mask, params), params);
}

Update transform(const Masked& t, const Tree& grads, const Tree& state, const Tree& params) {
  return update_marked(*t.inner, marks_of(*t.mask, grads), grads, state, params);
}

Poly<Optimizer> expand(const Freeze& t) { return Masked{.inner = SetToZero{}, .mask = *t.mask}; }

Tree init_state(const Partition& t, const Tree& params) {
  const LabelTree labels = labels_of(*t.param_labels, params);
  check_labels(labels, t);
  Tree::Items states;
  for (auto& [label, part] : t.transforms) {
    states.emplace_back(label, init_marked(part, marks_of(labels, label), params));
  }
  return Tree::record("PartitionState", {{"inner_states", Tree::dict(std::move(states))}});
}

Update transform(const Partition& t, const Tree& grads, const Tree& state, const Tree& params) {
  const LabelTree labels = labels_of(*t.param_labels, grads);
  const Tree& old = field(state, "PartitionState", "inner_states");
  Tree updates = grads;
  Tree::Items states;
  for (auto& [label, part] : t.transforms) {
    Update next = update_marked(part, marks_of(labels, label), updates, old.at(label), params);
    updates = std::move(next.updates);
    states.emplace_back(label, std::move(next.state));
  }
  return {std::move(updates),
          Tree::record("PartitionState", {{"inner_states", Tree::dict(std::move(states))}})};
}

// ---- Training some parameters and freezing the others: a partition with two labels.

namespace {

Tree init_trained(const Poly<Optimizer>& optimizer, const Marks& train, const Marks& freeze,
                  const Tree& params) {
  return Tree::record(
      "PartitionState",
      {{"inner_states", Tree::dict({{"train", init_marked(optimizer, train, params)},
                                    {"freeze", init_marked(SetToZero{}, freeze, params)}})}});
}

Update update_trained(const Poly<Optimizer>& optimizer, const Marks& train, const Marks& freeze,
                      const Tree& grads, const Tree& state, const Tree& params) {
  const Tree& old = field(state, "PartitionState", "inner_states");
  Update trained = update_marked(optimizer, train, grads, old.at("train"), params);
  Update frozen = update_marked(SetToZero{}, freeze, trained.updates, old.at("freeze"), params);
  return {std::move(frozen.updates),
          Tree::record("PartitionState",
                       {{"inner_states", Tree::dict({{"train", std::move(trained.state)},
                                                     {"freeze", std::move(frozen.state)}})}})};
}

}  // namespace

Tree init_state(const PartialUpdates& t, const Tree& params) {
  const Marks train = marks_of(*t.mask, params);
  return init_trained(*t.optimizer, train, opposite(train), params);
}

Update transform(const PartialUpdates& t, const Tree& grads, const Tree& state,
                 const Tree& params) {
  const Marks train = marks_of(*t.mask, grads);
  return update_trained(*t.optimizer, train, opposite(train), grads, state, params);
}

Tree init_state(const SelectiveTransform& t, const Tree& params) {
  const Marks freeze = marks_of(*t.freeze_mask, params);
  return init_trained(*t.optimizer, opposite(freeze), freeze, params);
}

Update transform(const SelectiveTransform& t, const Tree& grads, const Tree& state,
                 const Tree& params) {
  const Marks freeze = marks_of(*t.freeze_mask, grads);
  return update_trained(*t.optimizer, opposite(freeze), freeze, grads, state, params);
}

// ---- One optimizer a loss.

Tree init_state(const MultiOptimizer& t, const Tree& params) {
  return init_named(t.optimizers, params);
}

Tree transform(const MultiOptimizer&, const Tree&) {
  throw Error(ErrorKind::type,
              "a multi_optimizer has no update of its own: its optimizers belong to one loss each; "
              "use it with kd.contrib.train.MultiTrainStep");
}

}  // namespace kd::optim

KD_IMPLEMENT(kd::Optimizer, kd::optim::Chain);
KD_IMPLEMENT(kd::Optimizer, kd::optim::NamedChain);
KD_IMPLEMENT(kd::Optimizer, kd::optim::PairChain);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Masked);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Freeze);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Partition);
KD_IMPLEMENT(kd::Optimizer, kd::optim::SelectiveTransform);
KD_IMPLEMENT(kd::Optimizer, kd::optim::PartialUpdates);
KD_IMPLEMENT(kd::Optimizer, kd::optim::MultiOptimizer);
