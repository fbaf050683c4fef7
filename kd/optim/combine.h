// Optimizers made of optimizers: one after the other, or each for its part of the parameters.
//
//   cfg.optimizer = optim::NamedChain{{{"clip", optim::ClipByGlobalNorm{1.0}},
//                                      {"adam", optim::Adam{.learning_rate = 1e-3}}}};
//   cfg.optimizer = optim::Chain{{optim::ClipByGlobalNorm{1.0},
//                                 optim::AdamW{.learning_rate = lr, .weight_decay = 0.05}}};
//
// Names, fields and defaults are those of Optax; docs/optim.md lists them.
#pragma once

#include <string>
#include <utility>

#include "kd/optim/forward.h"
#include "kd/optim/masks.h"
#include "konfig/fields.h"

namespace kd {
class Tree;  // kd/core/tree.h
}

namespace kd::optim {

// Applies transformations one after the other.
struct Chain {
  konfig::Args<Poly<Optimizer>> transforms;  // in this order
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
  Poly<Optimizer> with_parts(const ChangePart& change) const;
};

// A chain whose parts have names, so that overrides read `optimizer.adam.b1`.
struct NamedChain {
  konfig::Kwargs<Poly<Optimizer>> transforms;  // in this order, by names that states go by
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
  Poly<Optimizer> with_parts(const ChangePart& change) const;
};

// The same, given as pairs of a name and a transformation.
struct PairChain {
  // In this order, each behind its name.
  konfig::Args<std::pair<std::string, Poly<Optimizer>>> transforms;
  void konfig_post_resolve(const konfig::ConfigDict& node);
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
  Poly<Optimizer> with_parts(const ChangePart& change) const;
};

// Transforms the leaves of the mask; the others' updates pass unchanged.
struct Masked {
  Required<Poly<Optimizer>> inner;          // what is applied
  Required<Mask> mask;                      // the leaves that it is applied to
  bool mask_compatible_extra_args = false;  // no effect here: there are no extra arguments
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
  Poly<Optimizer> with_parts(const ChangePart& change) const;
};

// Zeros the updates of the leaves of the mask.
struct Freeze {
  Required<Mask> mask;  // the leaves that stay as they are
  Poly<Optimizer> expand() const;
};

// One transformation for each label.
struct Partition {
  Map<Poly<Optimizer>> transforms = {};     // by label
  Required<Labels> param_labels;            // the label of each leaf
  bool mask_compatible_extra_args = false;  // no effect here: there are no extra arguments
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
  Poly<Optimizer> with_parts(const ChangePart& change) const;
  bool accepts_integers() const { return true; }
};

// Optimizes the leaves outside of the mask and freezes those in it.
struct SelectiveTransform {
  Required<Poly<Optimizer>> optimizer;  // that of all other leaves
  Required<Mask> freeze_mask;           // the leaves that stay as they are
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
  Poly<Optimizer> with_parts(const ChangePart& change) const;
  bool accepts_integers() const { return true; }
};

// Optimizes the leaves of the mask and freezes the others, which need no state.
struct PartialUpdates {
  Required<Poly<Optimizer>> optimizer;  // that of the leaves that are trained
  Required<Mask> mask;                  // the leaves that are trained
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
  Poly<Optimizer> with_parts(const ChangePart& change) const;
  bool accepts_integers() const { return true; }
};

// One optimizer for each loss, by its name. For a train step that runs them apart.
struct MultiOptimizer {
  // By the name of the loss whose gradients each one takes.
  konfig::Kwargs<Poly<Optimizer>> optimizers;
  Tree init(const Tree& params) const;
  Tree update(const Tree& grads) const;
  bool accepts_integers() const;
};

// Starts from the averages that EmaParams keeps in place of the parameters.
struct UseEmaParams {
  std::optional<std::string> ema_params_transform = {};  // path of its state; None: the only one
  bool partial_ok = false;                               // leaves without average stay
  Tree transform(Tree state) const;
};

}  // namespace kd::optim

KONFIG_COMPONENT(kd::Optimizer, kd::optim::Chain, "optax:chain");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::NamedChain, "kauldron.kd:optim.named_chain");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::PairChain, "optax:named_chain");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Masked, "optax:masked");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Freeze, "optax:freeze");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Partition, "optax:partition", "optax:multi_transform");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::SelectiveTransform, "optax:selective_transform");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::PartialUpdates, "kauldron.kd:optim.partial_updates");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::MultiOptimizer,
                 "kauldron.kd:contrib.train.multi_optimizer",
                 "kauldron.contrib.train:multi_optimizer");
