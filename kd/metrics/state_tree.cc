// Trees of states.
#include "kd/metrics/state_tree_impl.h"

namespace kd::metrics {

namespace {

template <class F>
Tree to_tree(const StateTree& states, const F& of_leaf) {
  if (!states.leaf.empty()) return of_leaf(states.leaf);
  if (states.is_list) {
    Tree out = Tree::list();
    for (auto& child : states.children) out.push_back(to_tree(child.second, of_leaf));
    return out;
  }
  Tree::Items items;
  for (auto& [name, child] : states.children) items.emplace_back(name, to_tree(child, of_leaf));
  return Tree::dict(std::move(items));
}

void merge_tree(StateTree& to, const StateTree& from) {
  if (to.leaf.empty() != from.leaf.empty() || to.children.size() != from.children.size()) {
    throw konfig::Error(konfig::ErrorKind::value, "trees of different structures are merged");
  }
  if (!to.leaf.empty()) to.leaf = std::move(to.leaf).merge(from.leaf);
  for (std::size_t i = 0; i < to.children.size(); ++i) {
    auto& [name, child] = to.children[i];
    if (name != from.children[i].first) {
      throw konfig::Error(
          konfig::ErrorKind::value,
          "one tree has '" + name + "' where the other has '" + from.children[i].first + "'");
    }
    detail::named(name, [&, &into = child] { merge_tree(into, from.children[i].second); });
  }
}

void finalize_tree(StateTree& states) {
  if (!states.leaf.empty()) states.leaf = states.leaf.finalize();
  for (auto& child : states.children) finalize_tree(child.second);
}

// A list has no names: its children are taken in order.
void assign_states(StateTree& states, const Tree& tree) {
  if (!states.leaf.empty()) states.leaf = states.leaf.with_tree(tree);
  for (std::size_t i = 0; i < states.children.size(); ++i) {
    auto& [name, child] = states.children[i];
    assign_states(child, states.is_list ? tree.child(i) : tree[name]);
  }
}

}  // namespace

State StateTree::merged_into(State state) const {
  if (!leaf.empty()) state = std::move(state).merge(leaf);
  for (auto& child : children) state = child.second.merged_into(std::move(state));
  return state;
}

TreeState TreeState::merge(const TreeState& other) const {
  if (states.empty()) return other;
  TreeState out = *this;
  if (!other.states.empty()) merge_tree(out.states, other.states);
  return out;
}

TreeState TreeState::finalize() const {
  TreeState out = *this;
  finalize_tree(out.states);
  return out;
}

Tree TreeState::compute() const {
  return to_tree(states, [](const State& state) { return state.compute(); });
}

Tree TreeState::tree() const {
  return to_tree(states, [](const State& state) { return state.tree(); });
}

TreeState TreeState::with_tree(const Tree& tree) const {
  TreeState out = *this;
  assign_states(out.states, tree);
  return out;
}

}  // namespace kd::metrics
