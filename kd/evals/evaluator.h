// Evaluators at work. One of your own is a struct with a field `run` and
//
//   std::unique_ptr<evals::EvaluatorRun> open(const train::Trainer& trainer,
//                                             const std::string& name) const;
//   KD_COMPONENT(kd::Evaluator, MyEvaluator);
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kd/evals/special_evaluators.h"
#include "kd/implement.h"
#include "kd/train/train_step.h"
#include "kd/writers/writer.h"

namespace kd::evals {

// What an evaluation found.
struct Evaluation {
  train::AuxState aux = {};                                  // merged over all batches
  std::vector<std::pair<std::string, double>> scalars = {};  // more numbers, by their whole names
};

// Thrown by an evaluation that is told to stop: no error.
struct Stopped {};

// An evaluator of a run; it keeps its data open between evaluations.
class EvaluatorRun {
 public:
  virtual ~EvaluatorRun() = default;
  // Over all its data; `step` is that of the training. What it changes in the state is forgotten.
  virtual Evaluation evaluate(train::TrainState state, std::int64_t step) = 0;
  // What was found is written.
  virtual void written(const writers::Record&) {}
  // Before the first step: an Error for a key that leads nowhere.
  virtual void check(const train::TrainState&) {}

  // Asked after each batch of a long evaluation.
  void stop_if(std::function<bool()> should_stop) { should_stop_ = std::move(should_stop); }

 protected:
  void throw_if_stopped() const {
    if (should_stop_ && should_stop_()) throw Stopped();
  }

 private:
  std::function<bool()> should_stop_;
};

// Where an evaluator runs.
enum class Where { in_training, at_the_end, every_checkpoint, last_checkpoint };

struct RunStrategyOps {
  Where (*where)(const void* self);
  bool (*in_training)(const void* self, std::int64_t step);
  double (*seconds_to_sleep)(const void* self);
};

struct EvaluatorOps {
  std::unique_ptr<EvaluatorRun> (*open)(const void* self, const train::Trainer& trainer,
                                        const std::string& name);
  Poly<RunStrategy> (*run)(const void* self);
  bool (*discard_opt)(const void* self);
  Poly<MetricWriter> (*writer)(const void* self, const train::Trainer& trainer);
  std::string (*name)(const void* self);
};

}  // namespace kd::evals

template <>
struct kd::Implement<kd::RunStrategy> {
  using Ops = evals::RunStrategyOps;
  template <class T>
  static constexpr Ops ops = {
      [](const void* self) { return where_of(*static_cast<const T*>(self)); },
      [](const void* self, std::int64_t step) {
        return is_due(*static_cast<const T*>(self), step);
      },
      [](const void* self) -> double {
        if constexpr (requires(const T& t) { t.seconds_to_sleep; }) {
          return static_cast<const T*>(self)->seconds_to_sleep;
        } else {
          return 1;
        }
      }};
};

template <>
struct kd::Implement<kd::Evaluator> {
  using Ops = evals::EvaluatorOps;
  template <class T>
  static constexpr Ops ops = {
      [](const void* self, const train::Trainer& trainer, const std::string& name) {
        const T& t = *static_cast<const T*>(self);
        if constexpr (requires { t.open(trainer, name); }) {
          return t.open(trainer, name);
        } else {
          return open_evaluator(t, trainer, name);
        }
      },
      [](const void* self) -> Poly<RunStrategy> { return static_cast<const T*>(self)->run; },
      [](const void* self) {
        if constexpr (requires(const T& t) { t.discard_opt; }) {
          return static_cast<const T*>(self)->discard_opt;
        } else {
          return false;
        }
      },
      [](const void* self, const train::Trainer& trainer) -> Poly<MetricWriter> {
        if constexpr (requires(const T& t) { t.writer; }) {
          return *static_cast<const T*>(self)->writer;
        } else {
          return trainer.writer;
        }
      },
      [](const void* self) -> std::string {
        if constexpr (requires(const T& t) { t.name; }) {
          return static_cast<const T*>(self)->name;
        } else {
          return "eval";
        }
      }};
};

namespace kd::evals {

inline Where where(const Poly<RunStrategy>& run) { return ops_of(run).where(run.object().get()); }
// Before this step of training?
inline bool should_eval_in_train(const Poly<RunStrategy>& run, std::int64_t step) {
  return ops_of(run).in_training(run.object().get(), step);
}

}  // namespace kd::evals
