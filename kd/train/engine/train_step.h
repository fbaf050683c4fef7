// One step of training: state and batch in, state and measurements out. With it a loop of one's own
// is ten lines:
//
//   auto trainer = konfig::resolve<train::Trainer>(cfg);
//   train::StepRun run(*trainer);
//   train::TrainState state = run.init();
//   for (const Tree& batch : data::open(trainer->train_ds).device_put()) {
//     auto [next, aux, loss, skipped] = run.step(std::move(state), batch, {.losses = true});
//     state = std::move(next);
//     last = train::compute(aux).find("losses/total").value();
//     if (state.step == *trainer->num_train_steps) break;
//   }
//
// A step of one's own is a struct with
//
//   train::StepResult step(train::StepRun& run, train::TrainState state, const Tree& batch,
//                          const train::Returns& returns) const;
//   KD_COMPONENT(kd::TrainStepFn, MyStep);          // cfg.trainstep = MyStep{}
//
// which may use the parts of StepRun below, or `run.usual_step` before or after its own work. One
// that works without an optimizer says so: `static constexpr bool needs_optimizer = false;` One
// that keeps more than the usual state, or makes it without a model, has a member that completes
// the first state, before init_transform:
//
//   train::TrainState init(train::StepRun& run, train::TrainState state) const;
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "kd/core/implement.h"
#include "kd/core/place.h"
#include "kd/losses/engine/loss.h"
#include "kd/optim/engine/stepper.h"
#include "kd/train/engine/forward.h"
#include "kd/train/engine/state.h"
#include "kd/train/trainer.h"

namespace kd::train {

struct Checks;  // kd/train/engine/checkify.h

struct StepResult {
  TrainState state;
  AuxState aux;
  double loss = 0;       // the sum of all losses
  bool skipped = false;  // the loss was not finite, and the step changed nothing
};

struct InitOptions {
  bool skip_transforms = false;           // parameters as the model makes them
  bool skip_optimizer = false;            // without opt_state
  std::optional<Tree> element_spec = {};  // of a batch; none: that of train_ds
  // Changes the state, after init_transform and unless transforms are skipped.
  std::function<TrainState(TrainState state)> on_state = {};
};

// The loss was NaN or infinite, or a value that is looked at. The advice names a field of the
// trainer, which an experiment does not have.
inline constexpr std::string_view kSkipAdvice = "; on_bad_loss=skip leaves such steps out";
class BadLoss : public konfig::Error {
 public:
  BadLoss(std::int64_t step, const std::string& message);
  std::int64_t step() const { return step_; }

 private:
  std::int64_t step_;
};

// What the steps of one trainer share.
class StepRun {
 public:
  explicit StepRun(const Trainer& trainer);

  TrainState init(const InitOptions& options = {});
  // The tensors of the given state are overwritten: whoever shares them sees the change.
  StepResult step(TrainState state, const Tree& batch, const Returns& returns = {});

  // ---- Parts, for steps of one's own.
  StepResult usual_step(TrainState state, const Tree& batch, const Returns& returns);
  // The model in training; `variables` (see variables_of) and the batch must live on.
  Forward forward(const TrainState& state, const Tree& variables, const Tree& batch,
                  const Returns& returns) const;
  // The sum of the losses in the context. Added to it, with its states.
  losses::LossesResult add_losses(Context& context, const Map<Poly<Loss>>& losses) const;
  // Metrics and summaries, those that are asked for.
  void add_aux(AuxState& aux, Context& context, const Returns& returns) const;
  // False when the step is to be left out; an Error, BadLoss, when the trainer says so.
  bool check_loss(const Context& context, double loss) const;
  // An Error, BadLoss, for what checkify_error_categories forbids.
  void check_values(const Context& context) const;
  bool needs(const Returns& returns, std::string_view root) const;

  const Trainer& trainer() const { return trainer_; }
  const Auxiliaries& aux() const { return aux_; }
  const Poly<Optimizer>& optimizer() const;      // an Error when there is none
  const Place& place() const { return place_; }  // before the step
  void set_place(const Place& place) { place_ = place; }
  bool makes_state() const;                        // the trainer's step has `init`
  std::shared_ptr<void>& kept() { return kept_; }  // for the trainer's step, as long as the run

 private:
  Trainer trainer_;
  Auxiliaries aux_;
  std::shared_ptr<const Checks> checks_;
  std::unique_ptr<optim::Stepper> stepper_;
  mutable std::map<std::string, bool> needed_;  // by groups and root
  Place place_;
  std::shared_ptr<void> kept_;
};

// Loss states as they are kept: outside of the graph of gradients.
NamedStates detached(const NamedStates& states);

// The state that a run starts with.
TrainState init_state(const Trainer& trainer, const InitOptions& options = {});

struct TrainStepOps {
  bool needs_optimizer;
  Poly<Optimizer> (*optimizer)(const void* self);  // the step's own; empty: the trainer's
  TrainState (*init)(const void* self, StepRun& run, TrainState state);  // nullptr: not needed
  StepResult (*step)(const void* self, StepRun& run, TrainState state, const Tree& batch,
                     const Returns& returns);
};

}  // namespace kd::train

template <>
struct kd::Implement<kd::TrainStepFn> {
  using Ops = train::TrainStepOps;
  template <class T>
  static constexpr bool needs_optimizer() {
    if constexpr (requires { T::needs_optimizer; }) return T::needs_optimizer;
    return true;
  }
  template <class T>
  static constexpr auto init() -> decltype(Ops::init) {
    if constexpr (requires(const T& t, train::StepRun& run) { t.init(run, train::TrainState()); }) {
      return [](const void* self, train::StepRun& run, train::TrainState state) {
        return static_cast<const T*>(self)->init(run, std::move(state));
      };
    } else {
      return nullptr;
    }
  }
  template <class T>
  static Poly<Optimizer> optimizer(const void* self) {
    if constexpr (requires(const T& t) { Poly<Optimizer>(t.optimizer); }) {
      return static_cast<const T*>(self)->optimizer;
    } else {
      return {};
    }
  }
  template <class T>
  static constexpr Ops ops = {needs_optimizer<T>(), optimizer<T>, init<T>(),
                              [](const void* self, train::StepRun& run, train::TrainState state,
                                 const Tree& batch, const train::Returns& returns) {
                                return static_cast<const T*>(self)->step(run, std::move(state),
                                                                         batch, returns);
                              }};
};
