// A tree of states: what TreeMap keeps.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kd/metrics/engine/state.h"

namespace kd::metrics {

struct StateTree {
  State leaf = {};
  bool is_list = false;
  std::vector<std::pair<std::string, StateTree>> children = {};

  bool empty() const { return leaf.empty() && children.empty(); }
  // All leaves, in order, merged to the end of a state.
  State merged_into(State state) const;
};

struct TreeState {
  StateTree states;

  TreeState merge(const TreeState& other) const;
  TreeState finalize() const;
  Tree compute() const;
  Tree tree() const;
  TreeState with_tree(const Tree& tree) const;
};

}  // namespace kd::metrics
