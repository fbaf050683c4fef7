// State: what a metric keeps of the batches it has seen. States merge, in any grouping; `compute`
// gives the metric's value.
//
//   State state = metrics::get_state(metric, context);
//   state = std::move(state).merge(metrics::get_state(metric, next_context));
//   Tree value = state.finalize().compute();
//
// Any struct of fields (kd/metrics/engine/fields.h) is a state. It may have
//   Tree compute() const;               // or a Tensor, a double; default: the fields by name
//   S merge(const S& other) const;      // default: field by field
//   S finalize() const;                 // default: field by field
//   Tree tree() const;                  // default: the fields as they are
//   S with_tree(const Tree& values) const;   // the way back; default: field by field
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kd/core/interfaces.h"
#include "kd/metrics/engine/fields.h"

namespace kd::metrics {

namespace detail {

struct StateOps {
  std::string_view type;
  std::shared_ptr<void> (*copy)(const void* state);
  void (*merge)(void* state, const void* other);
  void (*finalize)(void* state);
  Tree (*compute)(const void* state);
  Tree (*tree)(const void* state);
  void (*assign)(void* state, const Tree& tree);
};
template <class S>
const StateOps& state_ops();

}  // namespace detail

class State {
 public:
  State() = default;  // no batch of whichever metric: merges with anything, computes {}
  template <class S>
  requires(konfig::Record<std::remove_cvref_t<S>>) State(S&& state)
      : ops_(&detail::state_ops<std::remove_cvref_t<S>>()),
        object_(std::make_shared<std::remove_cvref_t<S>>(std::forward<S>(state))) {}

  bool empty() const { return !object_; }
  // In this order: it matters for what is collected. An Error when the states are of two metrics.
  State merge(const State& other) const&;
  State merge(const State& other) &&;
  // Puts together what was collected, on the host; before `compute`.
  State finalize() const;
  Tree compute() const;
  Tree tree() const;  // the fields as they are
  // A state of the same metric with the values of another one, as its `tree` gave them. An Error
  // when there is no way back.
  State with_tree(const Tree& tree) const;

  // The state as exactly this type, or nullptr.
  template <class S>
  const S* get_if() const {
    return ops_ && ops_->type == konfig::type_name<S> ? static_cast<const S*>(object_.get())
                                                      : nullptr;
  }
  // The metric that it came from; an empty Poly when none is known.
  const Poly<Metric>& parent() const { return parent_; }
  // The same state, known to be of this metric; one that has a parent keeps it.
  State with_parent(Poly<Metric> parent) &&;

 private:
  const detail::StateOps* ops_ = nullptr;
  std::shared_ptr<void> object_;  // never changed while it is shared
  Poly<Metric> parent_;
};

// ---- States as structs.

// Adds what `other` has seen; the Error of a field starts with its name.
template <class S>
void merge_into(S& state, const S& other);
template <class S>
void finalize(S& state);
// The fields by name, as they are.
template <class S>
Tree tree_of(const S& state);
// The way back.
template <class S>
void assign_tree(S& state, const Tree& tree);

// What `compute` functions return, as a tree.
inline Tree as_tree(Tree tree) { return tree; }
inline Tree as_tree(Tensor tensor) { return Tree(std::move(tensor)); }
Tree as_tree(double number);  // a float64 scalar

// No data.
struct EmptyState {
  Tree compute() const { return Tree::dict(); }
};

// Everything, one batch after another: `CollectingState{Tree::dict({{"labels", labels}})}`.
struct CollectingState {
  ConcatField<> values;
  Tree compute() const { return values.tree(); }
};
// The first few: `CollectFirstState{{Tree::dict({{"image", image}}), 5}}`.
struct CollectFirstState {
  TruncateField<> values;
  Tree compute() const { return values.tree(); }
};

}  // namespace kd::metrics

#include "kd/metrics/engine/state_inline.h"  // IWYU pragma: export
