// The stages of the transformations that can be fused. Their numbers are rounded to float32 where
// the plain way rounds them.
#include "kd/optim/check_impl.h"
#include "kd/optim/combine.h"
#include "kd/optim/engine/fusion.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/scale.h"
#include "kd/optim/scale_by_moments.h"
#include "kd/optim/transforms.h"

namespace kd::optim {

namespace {

float f32(double value) { return static_cast<float>(value); }

// The state of a transformation, when it is one of this type.
Tree* field_of(Tree& state, std::string_view type, std::string_view name) {
  return state.type() == type ? state.find(name) : nullptr;
}

bool fuse_scale(const char* name, const Schedule& schedule, double sign, Tree& state,
                Fusion& fusion) {
  std::int32_t at = 0;
  if (is_schedule(schedule)) {
    Tree* count = field_of(state, "ScaleByScheduleState", "count");
    if (!count) return false;
    at = count_of(*count);
    fusion.count(*count, after(at));
  }
  const double value = at_field(name, [&] { return value_at(schedule, at).value; });
  return fusion.add({.kernel = kernels::scale, .c = {f32(sign * value)}});
}

template <class Parts>
bool fuse_named(const Parts& parts, Tree& state, Fusion& fusion) {
  for (auto& [name, part] : parts) {
    Tree* inner = state.find(name);
    if (!inner) return false;
    if (!at_field(name, [&, &part = part] { return fuse_inner(part, *inner, fusion); })) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool Identity::fuse(Tree&, Fusion&) const { return true; }

bool SetToZero::fuse(Tree&, Fusion& fusion) const { return fusion.add({.kernel = kernels::zero}); }

bool Clip::fuse(Tree&, Fusion& fusion) const {
  return fusion.add({.kernel = kernels::clip, .c = {f32(max_delta)}});
}

bool ClipByGlobalNorm::fuse(Tree&, Fusion& fusion) const {
  float norm = 0;
  if (!fusion.global_norm(norm)) return false;
  if (norm < max_norm) return true;
  return fusion.add({.kernel = kernels::shrink, .c = {norm, f32(max_norm)}});
}

bool Scale::fuse(Tree&, Fusion& fusion) const {
  return fusion.add({.kernel = kernels::scale, .c = {f32(step_size)}});
}

bool ScaleBySchedule::fuse(Tree& state, Fusion& fusion) const {
  return fuse_scale("step_size_fn", *step_size_fn, 1, state, fusion);
}

bool ScaleByLearningRate::fuse(Tree& state, Fusion& fusion) const {
  if (is_none(learning_rate)) return true;
  return fuse_scale("learning_rate", learning_rate, flip_sign ? -1 : 1, state, fusion);
}

bool ScaleBySign::fuse(Tree&, Fusion& fusion) const {
  return fusion.add({.kernel = kernels::sign});
}

bool ScaleByAdam::fuse(Tree& state, Fusion& fusion) const {
  Tree* counted = field_of(state, "ScaleByAdamState", "count");
  if (!counted) return false;
  const std::int32_t count = after(count_of(*counted));
  fusion.count(*counted, count);
  Stage stage{.kernel = nesterov ? kernels::adam_ahead : kernels::adam,
              .c = {f32(1 - b1), f32(b1), f32(1 - b2), f32(b2), bias_correction(b1, count),
                    bias_correction(b2, count), f32(eps_root), f32(eps),
                    bias_correction(b1, after(count))}};
  return fusion.add(std::move(stage), state["mu"], state["nu"]);
}

bool ScaleByLion::fuse(Tree& state, Fusion& fusion) const {
  Tree* counted = field_of(state, "ScaleByLionState", "count");
  if (!counted || mode != SignMode::hard) return false;
  fusion.count(*counted, after(count_of(*counted)));
  return fusion.add({.kernel = kernels::lion, .c = {f32(1 - b1), f32(b1), f32(1 - b2), f32(b2)}},
                    state["mu"]);
}

bool ScaleByRms::fuse(Tree& state, Fusion& fusion) const {
  Tree* nu = field_of(state, "ScaleByRmsState", "nu");
  if (!nu || bias_correction) return false;
  return fusion.add({.kernel = eps_in_sqrt ? kernels::rms : kernels::rms_outside,
                     .c = {f32(1 - decay), f32(decay), f32(eps)}},
                    *nu);
}

bool Trace::fuse(Tree& state, Fusion& fusion) const {
  Tree* trace = field_of(state, "TraceState", "trace");
  if (!trace) return false;
  return fusion.add({.kernel = nesterov ? kernels::trace_ahead : kernels::trace, .c = {f32(decay)}},
                    *trace);
}

bool Ema::fuse(Tree& state, Fusion& fusion) const {
  Tree* counted = field_of(state, "EmaState", "count");
  if (!counted) return false;
  const std::int32_t count = after(count_of(*counted));
  fusion.count(*counted, count);
  return fusion.add({.kernel = debias ? kernels::ema_debiased : kernels::ema,
                     .c = {f32(1 - decay), f32(decay), bias_correction(decay, count)}},
                    state["ema"]);
}

bool AddDecayedWeights::fuse(Tree& state, Fusion& fusion) const {
  std::int32_t at = 0;
  if (is_schedule(weight_decay)) {
    Tree* count = field_of(state, "WeightDecaySchedule", "count");
    if (!count) return false;
    at = count_of(*count);
    fusion.count(*count, after(at));
  }
  const double decay = at_field("weight_decay", [&] { return value_at(weight_decay, at).value; });
  if (decay == 0 && !is_schedule(weight_decay)) return true;
  return fusion.add({.kernel = kernels::decay, .c = {f32(decay)}});
}

bool DecayToInit::fuse(Tree& state, Fusion& fusion) const {
  Tree* first = field_of(state, "DecayToInitState", "init_params");
  if (!first) return false;
  return fusion.add({.kernel = kernels::decay_to, .c = {f32(weight_decay)}}, *first);
}

bool EmaParams::fuse(Tree& state, Fusion& fusion) const {
  Tree* counted = field_of(state, "EmaParamsState", "count");
  if (!counted) return false;
  const std::int32_t count = after(count_of(*counted));
  fusion.count(*counted, count);
  const double past = ema_decay(decay, debias, count).value;
  return fusion.add({.kernel = kernels::ema_params, .c = {f32(1 - past), f32(past)}},
                    state["ema_params"]);
}

// ---- Made of others.

bool Chain::fuse(Tree& state, Fusion& fusion) const {
  if (state.kind() != Tree::Kind::list || state.size() != transforms.size()) return false;
  for (std::size_t i = 0; i < transforms.size(); ++i) {
    if (!fuse_inner(transforms[i], state.child(i), fusion)) return false;
  }
  return true;
}

bool NamedChain::fuse(Tree& state, Fusion& fusion) const {
  return fuse_named(transforms, state, fusion);
}

bool PairChain::fuse(Tree& state, Fusion& fusion) const {
  return fuse_named(transforms, state, fusion);
}

bool Masked::fuse(Tree& state, Fusion& fusion) const {
  Tree* kept = field_of(state, "MaskedState", "inner_state");
  if (!kept) return false;
  return fusion.masked(
      {this, 0}, [&] { return marks_of(*mask, fusion.params()); },
      [&] { return fuse_inner(*inner, *kept, fusion); });
}

namespace {

Tree* inner_of(Tree& state, const std::string& label) {
  Tree* states = field_of(state, "PartitionState", "inner_states");
  Tree* masked = states ? states->find(label) : nullptr;
  return masked ? field_of(*masked, "MaskedState", "inner_state") : nullptr;
}

bool fuse_trained(const Poly<Optimizer>& optimizer, const Mask& mask, bool train_marked,
                  Tree& state, Fusion& fusion) {
  Tree* trained = inner_of(state, "train");
  if (!trained) return false;
  auto marks = [&](bool marked) {
    Marks out = marks_of(mask, fusion.params());
    return marked ? out : opposite(std::move(out));
  };
  return fusion.masked(
             {&optimizer, 0}, [&] { return marks(train_marked); },
             [&] { return fuse_inner(optimizer, *trained, fusion); }) &&
         fusion.masked(
             {&optimizer, 1}, [&] { return marks(!train_marked); },
             [&] { return fusion.add({.kernel = kernels::zero}); });
}

}  // namespace

bool Partition::fuse(Tree& state, Fusion& fusion) const {
  for (auto& [label, part] : transforms) {
    Tree* inner = inner_of(state, label);
    if (!inner) return false;
    const std::string& name = label;
    const auto& optimizer = part;
    auto marks = [&] { return marks_of(labels_of(*param_labels, fusion.params()), name); };
    if (!fusion.masked({&optimizer, 0}, marks,
                       [&] { return fuse_inner(optimizer, *inner, fusion); })) {
      return false;
    }
  }
  return true;
}

bool PartialUpdates::fuse(Tree& state, Fusion& fusion) const {
  return fuse_trained(*optimizer, *mask, true, state, fusion);
}

bool SelectiveTransform::fuse(Tree& state, Fusion& fusion) const {
  return fuse_trained(*optimizer, *freeze_mask, false, state, fusion);
}

}  // namespace kd::optim
