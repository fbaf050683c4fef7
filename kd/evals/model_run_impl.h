// The model over batches, for evaluators. Library only.
#pragma once

#include <functional>

#include "kd/data/engine/dataset.h"
#include "kd/evals/engine/evaluator.h"
#include "kd/train/engine/checkify.h"
#include "kd/train/engine/forward.h"
#include "kd/train/trainer.h"

namespace kd::evals {

// A model, and what is measured of it.
class ModelRun {
 public:
  // `capture`: what modules give is kept, too, for keys below `interms`.
  ModelRun(Poly<Module> model, train::RngStreams rng_streams, bool capture)
      : model_(std::move(model)), rng_streams_(std::move(rng_streams)), capture_(capture) {}

  // Calls the model on a batch, the one with this number, and `use` with what keys can name.
  void on_batch(const train::TrainState& state, const Tree& batch, std::int64_t index,
                const std::function<void(train::Context&)>& use) const;
  // The same on zeros: one example, or a whole batch where the model wants that.
  void on_zeros(const train::TrainState& state, const Tree& element_spec,
                const std::function<void(train::Context&)>& use) const;

 private:
  Poly<Module> model_;
  train::RngStreams rng_streams_;
  bool capture_;
};

// What an Evaluator measures, batch by batch.
class Measuring {
 public:
  Measuring(const Evaluator& evaluator, const train::Trainer& trainer);

  // As the evaluator wants it.
  train::TrainState prepared(train::TrainState state) const;
  train::AuxState states(const train::TrainState& state, const Tree& batch,
                         std::int64_t index) const;
  // An Error for a key that leads nowhere.
  void check(const train::TrainState& state) const;
  const data::Dataset& dataset() const { return dataset_; }

 private:
  train::AuxState states_in(train::Context& context) const;

  Evaluator evaluator_;
  train::Auxiliaries aux_;
  train::Checks checks_;  // the trainer's
  data::Dataset dataset_;
  ModelRun run_;
};

[[noreturn]] void fail_no_batch();

}  // namespace kd::evals
