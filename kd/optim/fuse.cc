// The stages of the transformations that can be fused. Their numbers are rounded to float32 where
// the plain way rounds them.
#include "kd/optim/fuse_impl.h"

#include "kd/optim/math_impl.h"

namespace kd::optim {

namespace {

float f32(double value) { return static_cast<float>(value); }

// The state of a transformation, when it is one of this type.
Tree* field_of(Tree& state, std::string_view type, std::string_view name) {
  return state.type() == type ? state.find(name) : nullptr;
}

bool fuse_scale(const Schedule& schedule, double sign, Tree& state, Fusion& fusion) {
  std::int32_t at = 0;
  if (is_schedule(schedule)) {
    Tree* count = field_of(state, "ScaleByScheduleState", "count");
    if (!count) return false;
    at = count_of(*count);
    fusion.count(*count, after(at));
  }
  return fusion.add({.kernel = kernels::scale, .c = {f32(sign * value_at(schedule, at).value)}});
}

template <class Parts>
bool fuse_named(const Parts& parts, Tree& state, Fusion& fusion) {
  for (auto& [name, part] : parts) {
    Tree* inner = state.find(name);
    if (!inner || !fuse_inner(part, *inner, fusion)) return false;
  }
  return true;
}

}  // namespace

bool fuse(const Identity&, Tree&, Fusion&) { return true; }

bool fuse(const SetToZero&, Tree&, Fusion& fusion) { return fusion.add({.kernel = kernels::zero}); }

bool fuse(const Clip& t, Tree&, Fusion& fusion) {
  return fusion.add({.kernel = kernels::clip, .c = {f32(t.max_delta)}});
}

bool fuse(const ClipByGlobalNorm& t, Tree&, Fusion& fusion) {
  float norm = 0;
  if (!fusion.global_norm(norm)) return false;
  if (norm < t.max_norm) return true;
  return fusion.add({.kernel = kernels::shrink, .c = {norm, f32(t.max_norm)}});
}

bool fuse(const Scale& t, Tree&, Fusion& fusion) {
  return fusion.add({.kernel = kernels::scale, .c = {f32(t.step_size)}});
}

bool fuse(const ScaleBySchedule& t, Tree& state, Fusion& fusion) {
  return fuse_scale(*t.step_size_fn, 1, state, fusion);
}

bool fuse(const ScaleByLearningRate& t, Tree& state, Fusion& fusion) {
  if (is_none(t.learning_rate)) return true;
  return fuse_scale(t.learning_rate, t.flip_sign ? -1 : 1, state, fusion);
}

bool fuse(const ScaleBySign&, Tree&, Fusion& fusion) {
  return fusion.add({.kernel = kernels::sign});
}

bool fuse(const ScaleByAdam& t, Tree& state, Fusion& fusion) {
  Tree* counted = field_of(state, "ScaleByAdamState", "count");
  if (!counted) return false;
  const std::int32_t count = after(count_of(*counted));
  fusion.count(*counted, count);
  Stage stage{.kernel = t.nesterov ? kernels::adam_ahead : kernels::adam,
              .c = {f32(1 - t.b1), f32(t.b1), f32(1 - t.b2), f32(t.b2),
                    bias_correction(t.b1, count), bias_correction(t.b2, count), f32(t.eps_root),
                    f32(t.eps), bias_correction(t.b1, after(count))}};
  return fusion.add(std::move(stage), state["mu"], state["nu"]);
}

bool fuse(const ScaleByLion& t, Tree& state, Fusion& fusion) {
  Tree* counted = field_of(state, "ScaleByLionState", "count");
  if (!counted || t.mode != "hard") return false;
  fusion.count(*counted, after(count_of(*counted)));
  return fusion.add(
      {.kernel = kernels::lion, .c = {f32(1 - t.b1), f32(t.b1), f32(1 - t.b2), f32(t.b2)}},
      state["mu"]);
}

bool fuse(const ScaleByRms& t, Tree& state, Fusion& fusion) {
  Tree* nu = field_of(state, "ScaleByRmsState", "nu");
  if (!nu || t.bias_correction) return false;
  return fusion.add({.kernel = t.eps_in_sqrt ? kernels::rms : kernels::rms_outside,
                     .c = {f32(1 - t.decay), f32(t.decay), f32(t.eps)}},
                    *nu);
}

bool fuse(const Trace& t, Tree& state, Fusion& fusion) {
  Tree* trace = field_of(state, "TraceState", "trace");
  if (!trace) return false;
  return fusion.add(
      {.kernel = t.nesterov ? kernels::trace_ahead : kernels::trace, .c = {f32(t.decay)}}, *trace);
}

bool fuse(const Ema& t, Tree& state, Fusion& fusion) {
  Tree* counted = field_of(state, "EmaState", "count");
  if (!counted) return false;
  const std::int32_t count = after(count_of(*counted));
  fusion.count(*counted, count);
  return fusion.add({.kernel = t.debias ? kernels::ema_debiased : kernels::ema,
                     .c = {f32(1 - t.decay), f32(t.decay), bias_correction(t.decay, count)}},
                    state["ema"]);
}

bool fuse(const AddDecayedWeights& t, Tree& state, Fusion& fusion) {
  std::int32_t at = 0;
  if (is_schedule(t.weight_decay)) {
    Tree* count = field_of(state, "WeightDecaySchedule", "count");
    if (!count) return false;
    at = count_of(*count);
    fusion.count(*count, after(at));
  }
  const double decay = value_at(t.weight_decay, at).value;
  if (decay == 0 && !is_schedule(t.weight_decay)) return true;
  return fusion.add({.kernel = kernels::decay, .c = {f32(decay)}});
}

bool fuse(const DecayToInit& t, Tree& state, Fusion& fusion) {
  Tree* first = field_of(state, "DecayToInitState", "init_params");
  if (!first) return false;
  return fusion.add({.kernel = kernels::decay_to, .c = {f32(t.weight_decay)}}, *first);
}

bool fuse(const EmaParams& t, Tree& state, Fusion& fusion) {
  Tree* counted = field_of(state, "EmaParamsState", "count");
  if (!counted) return false;
  const std::int32_t count = after(count_of(*counted));
  fusion.count(*counted, count);
  const double decay = ema_decay(t, count).value;
  return fusion.add({.kernel = kernels::ema_params, .c = {f32(1 - decay), f32(decay)}},
                    state["ema_params"]);
}

// ---- Made of others.

bool fuse(const Chain& t, Tree& state, Fusion& fusion) {
  if (state.kind() != Tree::Kind::list || state.size() != t.transforms.size()) return false;
  for (std::size_t i = 0; i < t.transforms.size(); ++i) {
    if (!fuse_inner(t.transforms[i], state.child(i), fusion)) return false;
  }
  return true;
}

bool fuse(const NamedChain& t, Tree& state, Fusion& fusion) {
  return fuse_named(t.transforms, state, fusion);
}

bool fuse(const PairChain& t, Tree& state, Fusion& fusion) {
  return fuse_named(t.transforms, state, fusion);
}

bool fuse(const Masked& t, Tree& state, Fusion& fusion) {
  Tree* inner = field_of(state, "MaskedState", "inner_state");
  if (!inner) return false;
  return fusion.masked(
      {&t, 0}, [&] { return marks_of(*t.mask, fusion.params()); },
      [&] { return fuse_inner(*t.inner, *inner, fusion); });
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

bool fuse(const Partition& t, Tree& state, Fusion& fusion) {
  for (auto& [label, part] : t.transforms) {
    Tree* inner = inner_of(state, label);
    if (!inner) return false;
    const std::string& name = label;
    const auto& optimizer = part;
    auto marks = [&] { return marks_of(labels_of(*t.param_labels, fusion.params()), name); };
    if (!fusion.masked({&optimizer, 0}, marks,
                       [&] { return fuse_inner(optimizer, *inner, fusion); })) {
      return false;
    }
  }
  return true;
}

bool fuse(const PartialUpdates& t, Tree& state, Fusion& fusion) {
  return fuse_trained(*t.optimizer, *t.mask, true, state, fusion);
}

bool fuse(const SelectiveTransform& t, Tree& state, Fusion& fusion) {
  return fuse_trained(*t.optimizer, *t.freeze_mask, false, state, fusion);
}

}  // namespace kd::optim
