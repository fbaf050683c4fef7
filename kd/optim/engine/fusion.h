// A whole optimizer step in one pass over the parameters: what a Stepper runs when it can.
//
// Transformations that work element by element add stages. The pass takes a short run of gradients
// into the cache, applies all stages to it, with the parameters and states beside it, and adds the
// result to the parameters. Nothing of the size of the parameters is allocated.
//
// Its member `bool fuse(Tree& state, Fusion& fusion) const` adds them: a kernel, numbers of this
// step, and the trees of its state that follow the parameters. kd/optim/fuse.cc has those of Optax.
//
// `fuse` gives false, having changed nothing, when it cannot; the step is then done the plain way.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "kd/optim/engine/kernels.h"
#include "kd/optim/engine/mask.h"
#include "kd/optim/engine/optimizer_ops.h"
#include "kd/optim/engine/stepper.h"

namespace kd::optim {

struct Stage {
  kernels::Kernel kernel = nullptr;
  std::array<float, 9> c = {};           // numbers of this step
  std::vector<float*> s0 = {}, s1 = {};  // states by leaf
  std::vector<bool> on = {};             // leaves it applies to; empty: all
};

// What is done with a leaf: stages, the last of them together with what follows where there is a
// loop for it.
struct Pass {
  kernels::Kernel kernel;
  const float* c;
  float *s0, *s1;
  float scale = 0, decay = 0;
};

class Fusion {
 public:
  using Key = MaskMemory::key_type;

  // `usable` is false when a leaf is not float32, not on the CPU, or has gaps in memory.
  Fusion(Tree& params, const Tree& grads, MaskMemory& memory);
  bool usable() const { return usable_; }

  const Tree& params() const { return params_; }

  // Adds a stage for the leaves of the current mask. The states must be float32 trees that follow
  // the parameters; false when they do not.
  bool add(Stage stage);
  bool add(Stage stage, Tree& s0);
  bool add(Stage stage, Tree& s0, Tree& s1);

  // The norm of the gradients in the current mask; false when stages changed them already.
  bool global_norm(float& norm);

  // Runs `inner` with the leaves restricted to those that are marked. `key` and the structure of
  // the parameters decide what `marks` gives, so that it is asked only once.
  bool masked(const Key& key, const std::function<Marks()>& marks,
              const std::function<bool()>& inner);

  // Counters change when everything else was found to be possible.
  void count(Tree& counter, std::int32_t value);

  void run();

 private:
  struct Leaf {
    float* p;
    const float* g;
    std::int64_t n;
  };
  bool take(const Tree& params, const Tree& grads);
  bool collect(Tree& state, std::vector<float*>& out);
  std::vector<Pass> passes_of(std::size_t leaf) const;

  Tree& params_;
  MaskMemory& memory_;
  bool usable_ = true;
  std::vector<Leaf> leaves_;
  std::vector<Tensor> copies_;  // of gradients that are laid out differently
  std::vector<bool> on_;        // the current mask; empty: all
  std::vector<Stage> stages_;
  std::vector<std::pair<Tree*, std::int32_t>> counters_;
};

// Adds the stages of a transformation; false when it cannot be fused.
bool fuse_inner(const Poly<Optimizer>& optimizer, Tree& state, Fusion& fusion);

}  // namespace kd::optim
