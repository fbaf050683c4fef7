// What the engine knows of a transformation, and how it is made of a struct: see transform.h for
// the members it may have.
#pragma once

#include "kd/core/implement.h"
#include "kd/core/interfaces.h"
#include "kd/core/tree.h"
#include "kd/optim/forward.h"

namespace kd::optim {

// What an update gives: what is added to the parameters, and the state for the next step.
struct Update {
  Tree updates, state;
};

class Fusion;  // kd/optim/engine/fusion.h

// What the engine knows of a transformation.
struct OptimizerOps {
  Tree (*init)(const void* self, const Tree& params);
  Update (*update)(const void* self, const Tree& grads, const Tree& state, const Tree& params);
  Poly<Optimizer> (*expand)(
      const void* self);  // nullptr, or gives an empty one: not made of others
  Poly<Optimizer> (*with_parts)(const void* self, const ChangePart& change);  // nullptr: no parts
  bool (*accepts_integers)(const void* self);
  bool (*fuse)(const void* self, Tree& state, Fusion& fusion);  // nullptr: cannot be fused
};

// As init and update of transform.h, inside of another transformation: the trees were checked.
Tree init_inner(const Poly<Optimizer>& optimizer, const Tree& params);
Update update_inner(const Poly<Optimizer>& optimizer, const Tree& grads, const Tree& state,
                    const Tree& params);

// Whether some parameters may be whole numbers: those it leaves alone.
bool accepts_integers(const Poly<Optimizer>& optimizer);

namespace detail {

template <class T>
concept HasInit = requires(const T& t, const Tree& tree) {
  t.init(tree);
};
template <class T>
concept HasUpdate = requires(const T& t, const Tree& tree) {
  t.update(tree, tree, tree);
};
template <class T>
concept HasExpand = requires(const T& t) {
  t.expand();
};
template <class T>
concept HasFuse = requires(const T& t, Tree& state, Fusion& fusion) {
  t.fuse(state, fusion);
};

template <class T>
concept HasParts = requires(const T& t, const ChangePart& change) {
  t.with_parts(change);
};

template <class T>
Poly<Optimizer> expand_of(const void* self) {
  return static_cast<const T*>(self)->expand();
}

template <class T>
Poly<Optimizer> with_parts_of(const void* self, const ChangePart& change) {
  return static_cast<const T*>(self)->with_parts(change);
}

template <class T>
bool accepts_integers_of(const void* self) {
  const T& t = *static_cast<const T*>(self);
  if constexpr (requires { t.accepts_integers(); }) {
    return t.accepts_integers();
  } else if constexpr (HasExpand<T>) {
    const auto made = t.expand();
    return made && accepts_integers(made);
  } else {
    return false;
  }
}

template <class T>
Tree init_of(const void* self, const Tree& params) {
  const T& t = *static_cast<const T*>(self);
  if constexpr (HasExpand<T>) {
    if (auto made = t.expand()) return init_inner(made, params);
  }
  if constexpr (HasInit<T>) {
    return t.init(params);
  } else {
    return Tree::record("EmptyState");
  }
}

template <class T>
Update update_of(const void* self, const Tree& grads, const Tree& state, const Tree& params) {
  const T& t = *static_cast<const T*>(self);
  if constexpr (HasExpand<T>) {
    if (auto made = t.expand()) return update_inner(made, grads, state, params);
  }
  if constexpr (HasUpdate<T>) {
    return t.update(grads, state, params);
  } else if constexpr (requires { t.update(grads, params); }) {
    return {t.update(grads, params), state};
  } else if constexpr (requires { t.update(grads); }) {
    return {t.update(grads), state};
  } else {
    static_assert(HasExpand<T>,
                  "kd: a transformation needs `Tree update(const Tree& grads) const`, or one of "
                  "the other forms in kd/optim/engine/transform.h");
    return {grads, state};
  }
}

template <class T>
bool fuse_of(const void* self, Tree& state, Fusion& fusion) {
  return static_cast<const T*>(self)->fuse(state, fusion);
}

template <class T>
constexpr OptimizerOps make_ops() {
  OptimizerOps ops{&init_of<T>, &update_of<T>, nullptr, nullptr, &accepts_integers_of<T>, nullptr};
  if constexpr (HasExpand<T>) ops.expand = &expand_of<T>;
  if constexpr (HasParts<T>) ops.with_parts = &with_parts_of<T>;
  if constexpr (HasFuse<T>) ops.fuse = &fuse_of<T>;
  return ops;
}

}  // namespace detail
}  // namespace kd::optim

template <>
struct kd::Implement<kd::Optimizer> {
  using Ops = kd::optim::OptimizerOps;
  template <class T>
  static constexpr Ops ops = kd::optim::detail::make_ops<T>();
};
