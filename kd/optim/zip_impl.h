// zip: one tree from several of one structure, leaf by leaf.
//
//   auto product = [](const Tensor& a, const Tensor& b) { return a * b; };
//   Tree agreement = zip(product, grads, last);
//
// Leaves that a mask took out (MaskedNode) have no tensors and stay as they are.
#pragma once

#include <string>
#include <string_view>

#include "kd/core/tree.h"

namespace kd::optim {

// Where in a tree; written out only when an error needs it.
struct Place {
  const Place* above = nullptr;
  const Tree* tree = nullptr;
  std::size_t child = 0;
  std::string text() const;  // "encoder.layers[0].kernel"
};

// A tree's type and first names, for messages: "dict of bias, kernel".
std::string structure_text(const Tree& tree);

namespace detail {

[[noreturn]] void fail_structure(const Place& place, const Tree& a, const Tree& b);

inline void check_node(const Place& place, const Tree& a, const Tree& b) {
  bool same = a.kind() == b.kind() && a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = a.name(i) == b.name(i);
  if (!same) fail_structure(place, a, b);
}

template <class F, class... T>
void zip_into(Tree& out, const Place& place, const F& fn, const T&... rest) {
  (check_node(place, out, rest), ...);
  if (out.is_tensor()) {
    out = fn(std::as_const(out).tensor(), rest.tensor()...);
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    zip_into(out.child(i), Place{&place, &out, i}, fn, rest.child(i)...);
  }
}

}  // namespace detail

// `fn` gives a tensor, or a tree that takes the leaf's place.
template <class F, class... T>
Tree zip(const F& fn, const Tree& first, const T&... rest) {
  Tree out = first;
  detail::zip_into(out, Place{}, fn, rest...);
  return out;
}

// The tensors of a tree in order; as kd::leaves, without counting references.
template <class F>
void each(const Tree& tree, const F& fn) {
  if (tree.is_tensor()) return fn(tree.tensor());
  for (const Tree& child : tree.children()) each(child, fn);
}

}  // namespace kd::optim
