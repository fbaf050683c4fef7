// Tensors whose type says what they hold: `Float<"*b h w c">`. Each is a Tensor and converts from
// one; that the shape is right is checked around calls (kd/typing/checked.h), not here.
#pragma once

#include <utility>

#include "kd/core/tensor.h"
#include "kd/core/tree.h"
#include "kd/typing/dtype.h"
#include "kd/typing/spec.h"

namespace kd {

namespace typing {

template <Elements E, konfig::FixedText S>
class Annotated : public at::Tensor {
  static_assert(SpecOf<S>::checked);

 public:
  static constexpr Elements elements = E;
  static constexpr const Spec& spec = spec_of<S>;

  Annotated() = default;
  Annotated(at::Tensor tensor) : at::Tensor(std::move(tensor)) {}
};

}  // namespace typing

// A tree all of whose tensors are of one kind: `TreeOf<Float<"...">>`.
template <class Leaf>
class TreeOf : public Tree {
 public:
  using kd_leaf = Leaf;

  TreeOf() = default;
  TreeOf(Tree tree) : Tree(std::move(tree)) {}
};

}  // namespace kd

namespace kontext {

// A tensor like any other for paths; made of whatever a tensor can be made of.
template <kd::typing::Elements E, konfig::FixedText S>
struct TreeTraits<kd::typing::Annotated<E, S>> {
  using T = kd::typing::Annotated<E, S>;
  static TreeRef ref(const T& tensor) { return TreeRef::of<at::Tensor>(tensor); }
  static void assign(T& to, const TreeRef& from) { to = from.to<at::Tensor>(); }
};

template <class Leaf>
struct TreeTraits<kd::TreeOf<Leaf>> {
  static TreeRef ref(const kd::TreeOf<Leaf>& tree) { return TreeRef::of<kd::Tree>(tree); }
  static void assign(kd::TreeOf<Leaf>& to, const TreeRef& from) { to = from.to<kd::Tree>(); }
};

}  // namespace kontext
