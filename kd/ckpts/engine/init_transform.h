// Transforms of the initial state of a run: its parameters from elsewhere.
//
//   state = ckpts::transform(trainer.init_transform, state);   // before the optimizer's init
//   state = ckpts::transform_after_optimizer(trainer.init_transform, state);
//
// A state is a tree with step, params, collections and opt_state. One of your own is a struct with
// `Tree transform(Tree state) const`, or `Tree transform_after_optimizer(Tree state) const`, or
// both: KD_COMPONENT(kd::InitTransform, MyTransform). With `std::string source_run() const`, the
// folder of the run it reads, a run of evaluators alone follows the checkpoints of that run.
#pragma once

#include <optional>
#include <string>

#include "kd/ckpts/loaders.h"
#include "kd/core/implement.h"
#include "kd/core/tree.h"

namespace kd::ckpts {

// An empty Poly leaves the state as it is.
Tree transform(const Poly<InitTransform>& transform, Tree state);
Tree transform_after_optimizer(const Poly<InitTransform>& transform, Tree state);

struct InitTransformOps {
  Tree (*transform)(const void* self, Tree state);
  Tree (*after_optimizer)(const void* self, Tree state);
  std::optional<std::string> (*source_run)(const void* self);  // none: it reads no run to follow
};

}  // namespace kd::ckpts

template <>
struct kd::Implement<kd::InitTransform> {
  using Ops = ckpts::InitTransformOps;
  template <class T>
  static constexpr Ops ops = {
      .transform = [](const void* self, Tree state) -> Tree {
        static_assert(
            requires(const T& t) { t.transform(state); } ||
                requires(const T& t) { t.transform_after_optimizer(state); },
            "kd::ckpts: an InitTransform has Tree transform(Tree state) const, or "
            "transform_after_optimizer");
        if constexpr (requires(const T& t) { t.transform(state); }) {
          return static_cast<const T*>(self)->transform(std::move(state));
        } else {
          return state;
        }
      },
      .after_optimizer = [](const void* self, Tree state) -> Tree {
        if constexpr (requires(const T& t) { t.transform_after_optimizer(state); }) {
          return static_cast<const T*>(self)->transform_after_optimizer(std::move(state));
        } else {
          return state;
        }
      },
      .source_run = [](const void* self) -> std::optional<std::string> {
        if constexpr (requires(const T& t) { t.source_run(); }) {
          return static_cast<const T*>(self)->source_run();
        } else {
          return std::nullopt;
        }
      },
  };
};
