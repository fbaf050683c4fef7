// Chains, masks and partitions.
#include "kd/optim/combine.h"

#include <algorithm>
#include <set>

#include "base/join.h"
#include "kd/optim/check_impl.h"
#include "kd/optim/engine/mask.h"
#include "kd/optim/engine/transform.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/transforms.h"
#include "konfig/error.h"

namespace kd::optim {

using konfig::Error;
using konfig::ErrorKind;

// ---- One after the other.

Tree Chain::init(const Tree& params) const {
  Tree states = Tree::list();
  for (auto& part : transforms) states.push_back(init_inner(part, params));
  return states;
}

Update Chain::update(const Tree& grads, const Tree& state, const Tree& params) const {
  if (state.kind() != Tree::Kind::list || state.size() != transforms.size()) {
    throw Error(ErrorKind::value, "the chain has " + std::to_string(transforms.size()) +
                                      " transformations, its state is " +
                                      std::string(state.type()) + " of " +
                                      std::to_string(state.size()) +
                                      "; make the state with optim::init of this chain");
  }
  Tree updates = grads, states = Tree::list();
  for (std::size_t i = 0; i < transforms.size(); ++i) {
    Update next = update_inner(transforms[i], updates, state.child(i), params);
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
  for (auto& [name, part] : parts) {
    states.emplace_back(name,
                        at_field(name, [&, &part = part] { return init_inner(part, params); }));
  }
  return Tree::dict(std::move(states));
}

template <class Parts>
Update update_named(const Parts& parts, const Tree& grads, const Tree& state, const Tree& params) {
  Tree updates = grads;
  Tree::Items states;
  for (auto& [name, part] : parts) {
    Update next = at_field(name, [&, &name = name, &part = part] {
      return update_inner(part, updates, state.at(name), params);
    });
    updates = std::move(next.updates);
    states.emplace_back(name, std::move(next.state));
  }
  return {std::move(updates), Tree::dict(std::move(states))};
}

}  // namespace

Tree NamedChain::init(const Tree& params) const { return init_named(transforms, params); }
Update NamedChain::update(const Tree& grads, const Tree& state, const Tree& params) const {
  return update_named(transforms, grads, state, params);
}

Tree PairChain::init(const Tree& params) const { return init_named(transforms, params); }
Update PairChain::update(const Tree& grads, const Tree& state, const Tree& params) const {
  return update_named(transforms, grads, state, params);
}

// ---- Parts of the parameters.

namespace {

Tree init_marked(const Poly<Optimizer>& inner, const Marks& marks, const Tree& params) {
  const Tree kept = keep(params, marks);
  if (!accepts_integers(inner)) check_parameters(kept);
  return Tree::record("MaskedState", {{"inner_state", init_inner(inner, kept)}});
}

Update update_marked(const Poly<Optimizer>& inner, const Marks& marks, const Tree& grads,
                     const Tree& state, const Tree& params) {
  Update next = update_inner(inner, keep(grads, marks), field(state, "MaskedState", "inner_state"),
                             params.is_none() ? params : keep(params, marks));
  return {merge(marks, next.updates, grads),
          Tree::record("MaskedState", {{"inner_state", std::move(next.state)}})};
}

// The marks of the first step. Errors start with the mask's field.
Marks first_marks(const char* name, const Mask& mask, const Tree& params, Needs needs) {
  return at_field(name, [&] {
    check_patterns(mask, params, needs);
    return marks_of(mask, params);
  });
}

void check_labels(const LabelTree& labels, const Partition& t) {
  if (labels.is_whole && !labels.value.empty() && !t.transforms.contains(labels.value)) {
    const std::string known =
        base::join(t.transforms, ", ", [](auto& entry) { return "'" + entry.first + "'"; });
    throw Error(ErrorKind::value, "param_labels",
                "the label '" + labels.value + "' has no transformation; there are " +
                    (known.empty() ? "none" : known));
  }
  for (const LabelTree& child : labels.children) check_labels(child, t);
}

}  // namespace

Tree Masked::init(const Tree& params) const {
  const auto needs = inner->holds<SetToZero>() ? Needs::all_patterns : Needs::any_pattern;
  return init_marked(*inner, first_marks("mask", *mask, params, needs), params);
}

Update Masked::update(const Tree& grads, const Tree& state, const Tree& params) const {
  return update_marked(*inner, marks_of(*mask, grads), grads, state, params);
}

Poly<Optimizer> Freeze::expand() const { return Masked{.inner = SetToZero{}, .mask = *mask}; }

Tree Partition::init(const Tree& params) const {
  const LabelTree labels = labels_of(*param_labels, params);
  check_labels(labels, *this);
  Tree::Items states;
  for (auto& [label, part] : transforms) {
    states.emplace_back(label, init_marked(part, marks_of(labels, label), params));
  }
  return Tree::record("PartitionState", {{"inner_states", Tree::dict(std::move(states))}});
}

Update Partition::update(const Tree& grads, const Tree& state, const Tree& params) const {
  const LabelTree labels = labels_of(*param_labels, grads);
  const Tree& old = field(state, "PartitionState", "inner_states");
  Tree updates = grads;
  Tree::Items states;
  for (auto& [label, part] : transforms) {
    Update next = update_marked(part, marks_of(labels, label), updates, old.at(label), params);
    updates = std::move(next.updates);
    states.emplace_back(label, std::move(next.state));
  }
  return {std::move(updates),
          Tree::record("PartitionState", {{"inner_states", Tree::dict(std::move(states))}})};
}

// ---- Training some parameters and freezing the others: a partition with two labels.

namespace {

void check_some(const char* name, const Marks& train, const Tree& params) {
  const std::vector<bool> trained = flatten(train, params);
  if (trained.empty() || std::ranges::find(trained, true) != trained.end()) return;
  throw Error(ErrorKind::value, name, "it leaves no parameter to train");
}

Tree init_trained(const Poly<Optimizer>& optimizer, const Marks& train, const Marks& freeze,
                  const Tree& params) {
  Tree trained = at_field("optimizer", [&] { return init_marked(optimizer, train, params); });
  return Tree::record(
      "PartitionState",
      {{"inner_states", Tree::dict({{"train", std::move(trained)},
                                    {"freeze", init_marked(SetToZero{}, freeze, params)}})}});
}

Update update_trained(const Poly<Optimizer>& optimizer, const Marks& train, const Marks& freeze,
                      const Tree& grads, const Tree& state, const Tree& params) {
  const Tree& old = field(state, "PartitionState", "inner_states");
  Update trained = at_field(
      "optimizer", [&] { return update_marked(optimizer, train, grads, old.at("train"), params); });
  Update frozen = update_marked(SetToZero{}, freeze, trained.updates, old.at("freeze"), params);
  return {std::move(frozen.updates),
          Tree::record("PartitionState",
                       {{"inner_states", Tree::dict({{"train", std::move(trained.state)},
                                                     {"freeze", std::move(frozen.state)}})}})};
}

}  // namespace

Tree PartialUpdates::init(const Tree& params) const {
  const Marks train = first_marks("mask", *mask, params, Needs::all_patterns);
  check_some("mask", train, params);
  return init_trained(*optimizer, train, opposite(train), params);
}

Update PartialUpdates::update(const Tree& grads, const Tree& state, const Tree& params) const {
  const Marks train = marks_of(*mask, grads);
  return update_trained(*optimizer, train, opposite(train), grads, state, params);
}

Tree SelectiveTransform::init(const Tree& params) const {
  const Marks freeze = first_marks("freeze_mask", *freeze_mask, params, Needs::all_patterns);
  check_some("freeze_mask", opposite(freeze), params);
  return init_trained(*optimizer, opposite(freeze), freeze, params);
}

Update SelectiveTransform::update(const Tree& grads, const Tree& state, const Tree& params) const {
  const Marks freeze = marks_of(*freeze_mask, grads);
  return update_trained(*optimizer, opposite(freeze), freeze, grads, state, params);
}

// ---- One optimizer a loss.

Tree MultiOptimizer::init(const Tree& params) const { return init_named(optimizers, params); }

Tree MultiOptimizer::update(const Tree&) const {
  throw Error(ErrorKind::type,
              "a multi_optimizer has no update of its own: its optimizers belong to one loss each; "
              "use it with kd.contrib.train.MultiTrainStep");
}

// ---- What they are made of.

namespace {

template <class T>
T with_each(T t, const ChangePart& change) {
  for (auto& [name, part] : t.transforms) part = change(part);
  return t;
}

}  // namespace

Poly<Optimizer> Chain::with_parts(const ChangePart& change) const {
  Chain out = *this;
  for (auto& part : out.transforms) part = change(part);
  return out;
}

Poly<Optimizer> NamedChain::with_parts(const ChangePart& change) const {
  return with_each(*this, change);
}

Poly<Optimizer> PairChain::with_parts(const ChangePart& change) const {
  return with_each(*this, change);
}

Poly<Optimizer> Partition::with_parts(const ChangePart& change) const {
  return with_each(*this, change);
}

Poly<Optimizer> Masked::with_parts(const ChangePart& change) const {
  Masked out = *this;
  out.inner = change(*inner);
  return out;
}

Poly<Optimizer> SelectiveTransform::with_parts(const ChangePart& change) const {
  SelectiveTransform out = *this;
  out.optimizer = change(*optimizer);
  return out;
}

Poly<Optimizer> PartialUpdates::with_parts(const ChangePart& change) const {
  PartialUpdates out = *this;
  out.optimizer = change(*optimizer);
  return out;
}

bool MultiOptimizer::accepts_integers() const {
  return std::ranges::all_of(optimizers,
                             [](auto& entry) { return optim::accepts_integers(entry.second); });
}

}  // namespace kd::optim
