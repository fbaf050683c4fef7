// Root references: Inherit fields anywhere below the root take the root's value.
//
//   struct Trainer { static constexpr bool konfig_is_root = true; ... };   // filled by resolve
//   Trainer full = with_root_values(trainer);                              // by hand
//
// Fields with a value of their own keep it. Filling again, with other values in the root, refreshes
// exactly the fields that were filled; setting such a field by hand makes the value its own.
#pragma once

#include "konfig/copy_scope.h"
#include "konfig/make_type.h"

namespace konfig {

// Fills in place. Components are immutable afterwards (see konfig/poly.h) and stay shared where
// they were shared.
void fill_from_root(const Type& type, void* root);

template <Record T>
void fill_from_root(T& root) {
  fill_from_root(type_of<T>(), &root);
}

template <Record T>
T with_root_values(const T& root) {
  T out = detail::copy_graph(root);
  fill_from_root(out);
  return out;
}

}  // namespace konfig
