// Evaluators and their run strategies, as a run uses them. The library's own, and how to write
// others, are in kd/evals.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kd/core/implement.h"
#include "kd/core/interfaces.h"
#include "kd/core/place.h"
#include "kd/train/engine/aux_state.h"
#include "kd/train/engine/state.h"
#include "kd/train/where.h"

namespace kd {
class MetricWriter;  // kd/writers/metric_writer.h
}
namespace kd::writers {
struct Record;  // kd/writers/engine/writer.h
}

namespace kd::train {

struct Trainer;  // kd/train/trainer.h

// What an evaluation found.
struct Evaluation {
  AuxState aux = {};                                         // merged over all batches
  std::vector<std::pair<std::string, double>> scalars = {};  // more numbers, by their whole names
};

// The names of what an evaluator measures.
struct Measured {
  std::vector<std::string> losses = {}, metrics = {};
};

// Thrown by an evaluation that is told to stop: no error.
struct Stopped {};

// An evaluator of a run; it keeps its data open between evaluations.
class EvaluatorRun {
 public:
  virtual ~EvaluatorRun() = default;
  // Over all its data; `step` is that of the training. What it changes in the state is forgotten.
  virtual Evaluation evaluate(TrainState state, std::int64_t step) = 0;
  // What was found is written.
  virtual void written(const writers::Record&) {}
  // Before the first step: an Error for a key that leads nowhere.
  virtual void check(const TrainState&) {}

  // Asked after each batch of a long evaluation.
  void stop_if(std::function<bool()> should_stop) { should_stop_ = std::move(should_stop); }

 protected:
  void throw_if_stopped() const {
    if (should_stop_ && should_stop_()) throw Stopped();
  }

 private:
  std::function<bool()> should_stop_;
};

struct RunStrategyOps {
  Where (*where)(const void* self);
  bool (*in_training)(const void* self, std::int64_t step);
  bool (*in_epoch)(const void* self, const Place& place);  // nullptr: it knows steps only
  double (*seconds_to_sleep)(const void* self);
  std::optional<std::string> (*job_group)(const void* self);  // none: a job for itself
};

struct EvaluatorOps {
  std::unique_ptr<EvaluatorRun> (*open)(const void* self, const Trainer& trainer,
                                        const std::string& name);
  Poly<RunStrategy> (*run)(const void* self);
  bool (*discard_opt)(const void* self);
  // Its own, or else that of the trainer.
  Poly<MetricWriter> (*writer)(const void* self, const Poly<MetricWriter>& otherwise);
  std::string (*name)(const void* self);
  std::optional<Measured> (*measured)(const void* self);  // none: not known beforehand
};

}  // namespace kd::train

template <>
struct kd::Implement<kd::RunStrategy> {
  using Ops = train::RunStrategyOps;
  template <class T>
  static constexpr bool knows_epochs = requires(const T& t, const Place& place) {
    t.should_eval_in_epoch(place);
  };
  template <class T>
  static constexpr auto in_epoch() -> decltype(Ops::in_epoch) {
    if constexpr (knows_epochs<T>) {
      return [](const void* self, const Place& place) -> bool {
        return static_cast<const T*>(self)->should_eval_in_epoch(place);
      };
    } else {
      return nullptr;
    }
  }
  template <class T>
  static constexpr Ops ops = {
      [](const void* self) -> train::Where {
        if constexpr (requires(const T& t) { t.where(); }) {
          return static_cast<const T*>(self)->where();
        } else {
          return train::Where::in_training;
        }
      },
      [](const void* self, std::int64_t step) -> bool {
        if constexpr (requires(const T& t) { t.should_eval_in_train(step); }) {
          return static_cast<const T*>(self)->should_eval_in_train(step);
        } else {
          static_assert(
              requires(const T& t) { t.where(); } || knows_epochs<T>,
              "kd: a run strategy needs `bool should_eval_in_train(std::int64_t step) const`, or "
              "`bool should_eval_in_epoch(const Place& place) const`, or "
              "`evals::Where where() const`");
          return false;
        }
      },
      in_epoch<T>(),
      [](const void* self) -> double {
        if constexpr (requires(const T& t) { t.seconds_to_sleep; }) {
          return static_cast<const T*>(self)->seconds_to_sleep;
        } else {
          return 1;
        }
      },
      [](const void* self) -> std::optional<std::string> {
        if constexpr (requires(const T& t) { t.job_group; }) {
          return static_cast<const T*>(self)->job_group;
        } else {
          return {};
        }
      }};
};

template <>
struct kd::Implement<kd::Evaluator> {
  using Ops = train::EvaluatorOps;
  template <class T>
  static constexpr Ops ops = {
      [](const void* self, const train::Trainer& trainer,
         const std::string& name) -> std::unique_ptr<train::EvaluatorRun> {
        return static_cast<const T*>(self)->open(trainer, name);
      },
      [](const void* self) -> Poly<RunStrategy> { return static_cast<const T*>(self)->run; },
      [](const void* self) -> bool {
        if constexpr (requires(const T& t) { t.discard_opt; }) {
          return static_cast<const T*>(self)->discard_opt;
        } else {
          return false;
        }
      },
      [](const void* self, const Poly<MetricWriter>& otherwise) -> Poly<MetricWriter> {
        if constexpr (requires(const T& t) { t.writer; }) {
          return *static_cast<const T*>(self)->writer;
        } else {
          return otherwise;
        }
      },
      [](const void* self) -> std::string {
        if constexpr (requires(const T& t) { t.name; }) {
          return static_cast<const T*>(self)->name;
        } else {
          return "eval";
        }
      },
      [](const void* self) -> std::optional<train::Measured> {
        if constexpr (requires(const T& t) { t.measured(); }) {
          return static_cast<const T*>(self)->measured();
        } else {
          return {};
        }
      }};
};

namespace kd::train {

inline Where where(const Poly<RunStrategy>& run) { return ops_of(run).where(run.object().get()); }
// Before this step of training?
inline bool should_eval_in_train(const Poly<RunStrategy>& run, std::int64_t step) {
  return ops_of(run).in_training(run.object().get(), step);
}
// The same of a run that may be counted in epochs. An Error when it is not, and `run` needs it.
bool should_eval(const Poly<RunStrategy>& run, const Place& place, bool in_epochs);

}  // namespace kd::train
