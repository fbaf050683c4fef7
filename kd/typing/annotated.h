// Tensors whose type says what they hold: `Float<"*b h w c">`, or one of several things:
// `OneOf<Float<"*b n">, Int<"*b">>`. Each is a Tensor and converts from one; that the shape is
// right is checked around calls (kd/typing/checked.h), not here.
#pragma once

#include <array>
#include <tuple>
#include <utility>

#include "kd/core/tensor.h"
#include "kd/core/tree.h"
#include "kd/typing/dtype.h"
#include "kd/typing/spec.h"

namespace kd {

namespace typing {

// What a tensor may hold.
struct Form {
  const Spec* spec;
  Elements elements;
};

template <Elements E, konfig::FixedText S>
class Annotated : public at::Tensor {
  static_assert(SpecOf<S>::checked);

 public:
  static constexpr Elements elements = E;
  static constexpr const Spec& spec = spec_of<S>;
  static constexpr std::array<Form, 1> forms = {{{&spec, E}}};

  Annotated() = default;
  Annotated(at::Tensor tensor) : at::Tensor(std::move(tensor)) {}
};

// The forms are tried in order, over all tensors of a call together: the first that fits counts.
template <class... A>
class OneOf : public at::Tensor {
  static_assert(sizeof...(A) > 1 && (... && (A::forms.size() == 1)),
                "OneOf: at least two annotated tensors, none of them a OneOf itself");

 public:
  static constexpr std::array<Form, sizeof...(A)> forms = {{A::forms[0]...}};

  OneOf() = default;
  OneOf(at::Tensor tensor) : at::Tensor(std::move(tensor)) {}
};

template <class... A>
inline constexpr bool is_annotated<OneOf<A...>> = true;

// A tree all of whose tensors are of one kind: `TreeOf<Float<"...">>`.
template <class Leaf>
class TreeOf : public Tree {
 public:
  using kd_leaf = Leaf;

  TreeOf() = default;
  TreeOf(Tree tree) : Tree(std::move(tree)) {}
};

}  // namespace typing

using typing::OneOf;
using typing::TreeOf;

}  // namespace kd

namespace kontext {

// A tensor like any other for paths; made of whatever a tensor can be made of.
template <kd::typing::Elements E, konfig::FixedText S>
struct TreeTraits<kd::typing::Annotated<E, S>> {
  using T = kd::typing::Annotated<E, S>;
  static TreeRef ref(const T& tensor) { return TreeRef::of<at::Tensor>(tensor); }
  static void assign(T& to, const TreeRef& from) { to = from.to<at::Tensor>(); }
};

template <class... A>
struct TreeTraits<kd::OneOf<A...>> {
  using T = kd::OneOf<A...>;
  static TreeRef ref(const T& tensor) { return TreeRef::of<at::Tensor>(tensor); }
  static void assign(T& to, const TreeRef& from) { to = from.to<at::Tensor>(); }
};

template <class Leaf>
struct TreeTraits<kd::TreeOf<Leaf>> {
  static TreeRef ref(const kd::TreeOf<Leaf>& tree) { return TreeRef::of<kd::Tree>(tree); }
  static void assign(kd::TreeOf<Leaf>& to, const TreeRef& from) { to = from.to<kd::Tree>(); }
};

}  // namespace kontext
