// Where the first parameters of a run come from, when not from the model's initializers: transforms
// of the initial state. What they do is in kd/ckpts/engine/init_transform.h.
#pragma once

#include <string>
#include <vector>

#include "kd/core/interfaces.h"
#include "kd/optim/combine.h"

namespace kd {

class Tree;  // kd/core/tree.h

}  // namespace kd

namespace kd::ckpts {

// Leaves the state as it is.
struct NoopTransform {
  Tree transform(Tree state) const;
};

// Takes values from another run's checkpoint; the structure stays that of this run's state.
struct PartialKauldronLoader {
  Required<std::string> workdir;  // of the other run
  // Where values go, and where they come from: {"params.encoder": "params"}. What belongs to
  // opt_state is loaded after the optimizer was initialized.
  Map<std::string> new_to_old = {{"params", "params"}, {"collections", "collections"}};
  int step = -1;                                       // of the checkpoint; -1: the newest
  std::vector<std::string> ignore_model_keys = {};     // globs: may be missing in the checkpoint
  std::vector<std::string> ignore_restored_keys = {};  // globs: may be missing in this run's state
  bool lightweight_initialize = false;                 // no effect: opening is always quick
  Tree transform(Tree state) const;
  Tree transform_after_optimizer(Tree state) const;
  std::string source_run() const { return *workdir; }
};

// Takes parameters and collections from another run's checkpoint of the same structure.
struct SimpleCheckpointLoader {
  Required<std::string> workdir;  // of the other run
  int step = -1;                  // of the checkpoint; -1: the newest
  bool load_opt_state = false;    // the optimizer's state, too
  Tree transform(Tree state) const;
  Tree transform_after_optimizer(Tree state) const;
};

// Several, one after the other.
struct MultiTransform {
  konfig::Kwargs<Poly<InitTransform>> transforms;  // by name, which errors tell
  Tree transform(Tree state) const;
  Tree transform_after_optimizer(Tree state) const;
};

// Takes values from a checkpoint that CLU wrote. Such a file is a pickle of JAX: configs that name
// it are read, but do not run.
struct PartialCLULoader {
  Required<std::string> ckpt_dir;  // its folder
  Map<std::string> new_to_old = {{"params", "params"}, {"collections", "collections"}};  // as above
  Tree transform(Tree state) const;
};

}  // namespace kd::ckpts

KONFIG_COMPONENT(kd::InitTransform, kd::ckpts::PartialCLULoader,
                 "kauldron.contrib.checkpoints:PartialCLULoader",
                 "kauldron.kd:contrib.checkpoints.PartialCLULoader");
KONFIG_COMPONENT(kd::InitTransform, kd::ckpts::NoopTransform, "kauldron.kd:ckpts.NoopTransform");
KONFIG_COMPONENT(kd::InitTransform, kd::ckpts::PartialKauldronLoader,
                 "kauldron.kd:ckpts.PartialKauldronLoader");
KONFIG_COMPONENT(kd::InitTransform, kd::ckpts::SimpleCheckpointLoader,
                 "kauldron.kd:ckpts.SimpleCheckpointLoader");
KONFIG_COMPONENT(kd::InitTransform, kd::ckpts::MultiTransform, "kauldron.kd:ckpts.MultiTransform");
// Declared in kd/optim/combine.h, implemented here.
KONFIG_COMPONENT(kd::InitTransform, kd::optim::UseEmaParams, "kauldron.kd:optim.UseEmaParams");
