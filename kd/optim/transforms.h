// Transformations of gradients: clipped, accumulated, decayed, cleaned.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "kd/core/dtype.h"
#include "kd/optim/forward.h"
#include "kd/optim/masks.h"
#include "kd/optim/schedules.h"

namespace kd::optim {

// Passes updates on unchanged.
struct Identity {
  Tree update(const Tree& grads) const;
  bool fuse(Tree& state, Fusion& fusion) const;
};

// Updates of zero: parameters stay.
struct SetToZero {
  Tree update(const Tree& grads) const;
  bool fuse(Tree& state, Fusion& fusion) const;
  bool accepts_integers() const { return true; }
};

// ---- Clipping.

// Every element to at most `max_delta` in size.
struct Clip {
  Required<double> max_delta;  // the largest size of an element
  Tree update(const Tree& grads) const;
  bool fuse(Tree& state, Fusion& fusion) const;
};

// Scales gradients down so that their global norm is at most `max_norm`.
struct ClipByGlobalNorm {
  Required<double> max_norm;  // the largest norm of all leaves together
  Tree update(const Tree& grads) const;
  bool fuse(Tree& state, Fusion& fusion) const;
};

// Scales each leaf down so that its root mean square is at most `threshold`.
struct ClipByBlockRms {
  Required<double> threshold;  // the largest root mean square of a leaf
  Tree update(const Tree& grads) const;
};

// One axis or several; negative ones count from the last.
struct Axes : std::variant<int, std::vector<int>> {
  static constexpr std::string_view konfig_name = "an axis, or a list of axes";
  using variant::variant;
};

// Clips gradients relative to the parameters, unit by unit. Brock et al., 2021.
struct AdaptiveGradClip {
  Required<double> clipping;      // largest ratio of the norms
  double eps = 1e-3;              // smaller norms of parameters count as this
  std::optional<Axes> axis = {};  // what a norm is taken over; None: all but the outputs
  Tree update(const Tree& grads, const Tree& params) const;
};

// Divides by the global norm.
struct NormalizeByUpdateNorm {
  double scale_factor = 1.0;  // the new norm
  double eps = 1e-6;          // added to the norm
  Tree update(const Tree& grads) const;
};

// ---- Accumulating.

// Momentum: adds the decayed past.
struct Trace {
  Required<double> decay;  // how much of the trace stays at each step: the momentum
  bool nesterov = false;   // looks ahead along the trace
  std::optional<DType> accumulator_dtype = {};  // of the stored trace
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
};

// An exponential moving average of the updates.
struct Ema {
  Required<double> decay;                       // how much of the old average stays at each step
  bool debias = true;                           // corrects the average for its start at 0
  std::optional<DType> accumulator_dtype = {};  // of the stored average
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
};

// Collects gradients and passes their sum on every k-th step.
struct ApplyEvery {
  int k = 1;  // steps between two changes of the parameters
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// ---- Adding.

// Adds the decayed parameters: L2 regularisation, or weight decay after an adaptive scaling.
struct AddDecayedWeights {
  Schedule weight_decay = 0.0;  // how much of each parameter is added to its update
  Mask mask = {};               // the leaves that decay; None: all
  Poly<Optimizer> expand() const;
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
};

// Adds noise that fades.
struct AddNoise {
  Required<double> eta;          // variance at the first step
  Required<double> gamma;        // how fast it fades
  std::optional<int> key = {};   // seed of the noise
  std::optional<int> seed = {};  // the former name of `key`
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// Adds the decayed distance to the parameters that training started with.
struct DecayToInit {
  Required<double> weight_decay;  // how far each step goes back to the first values
  Mask mask = {};                 // the leaves that decay; None: all
  Poly<Optimizer> expand() const;
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
};

// ---- Cleaning.

// Zeros in place of NaN.
struct ZeroNans {
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// Subtracts the mean over all axes but the first, from leaves of two or more axes.
struct Centralize {
  Tree update(const Tree& grads) const;
};

// Updates that leave no parameter negative.
struct KeepParamsNonnegative {
  Tree update(const Tree& grads, const Tree& params) const;
};

// Keeps an average of the parameters after each step; last in a chain. The updates pass unchanged.
struct EmaParams {
  Required<double> decay;                       // how much of the old average stays at each step
  bool debias = true;                           // decays less at first: (1 + t) / (10 + t)
  std::optional<DType> accumulator_dtype = {};  // of the stored average
  void konfig_post_resolve(const konfig::ConfigDict& node);  // refuses arguments without a name
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
};

}  // namespace kd::optim

KONFIG_COMPONENT(kd::Optimizer, kd::optim::Identity, "optax:identity");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::SetToZero, "optax:set_to_zero");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Clip, "optax:clip");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ClipByGlobalNorm, "optax:clip_by_global_norm");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ClipByBlockRms, "optax:clip_by_block_rms");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::AdaptiveGradClip, "optax:adaptive_grad_clip");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::NormalizeByUpdateNorm, "optax:normalize_by_update_norm");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Trace, "optax:trace");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Ema, "optax:ema");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ApplyEvery, "optax:apply_every");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::AddDecayedWeights, "optax:add_decayed_weights");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::AddNoise, "optax:add_noise");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::DecayToInit, "kauldron.kd:optim.decay_to_init");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ZeroNans, "optax:zero_nans");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Centralize, "optax:centralize");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::KeepParamsNonnegative, "optax:keep_params_nonnegative");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::EmaParams, "kauldron.kd:optim.ema_params");
