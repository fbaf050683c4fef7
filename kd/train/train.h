// Training: the whole run of a trainer, with evaluations, checkpoints and what is written.
//
//   auto trainer = konfig::resolve<train::Trainer>(cfg);
//   train::TrainResult result = train::train(*trainer, {.config = cfg});
//
// Each index i from 0 to num_train_steps: evaluations due at i, a checkpoint if one is due, a
// batch, a step, what is logged at i. So checkpoint i holds the state after i updates.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "kd/data/dataset.h"
#include "kd/train/train_step.h"
#include "kd/writers/writer.h"

namespace kd::train {

// Something that happened in a run.
struct Event {
  enum class Kind {
    start,  // the first step comes next
    save,   // of a checkpoint
    step,   // the state before it
    done,   // a step is done: its loss
    write,  // to a collection
  };
  Kind kind;
  std::int64_t step = 0;
  std::string_view collection = {};         // of a write
  const TrainState* state = nullptr;        // of a step
  const writers::Record* record = nullptr;  // of a write
  double loss = 0;                          // of `done`
  std::int64_t last = 0;                    // of `start`: the last step
  std::string_view model = {};              // of `start`: the model as a short table
};

struct RunOptions {
  konfig::ConfigDict config = {};          // kept as config.json; empty: not
  std::function<bool()> should_stop = {};  // asked before each step, and in evaluations
  std::function<void(const Event& event)> on_event = {};
  // Changes the state that a new run starts with, after init_transform.
  std::function<TrainState(TrainState state)> on_init = {};
};

struct TrainResult {
  TrainState state;
  AuxState aux;                            // of the last step; what was not logged is none
  bool stopped = false;                    // by should_stop
  std::optional<std::int64_t> saved = {};  // then: the checkpoint to go on from
};

TrainResult train(const Trainer& trainer, const RunOptions& options = {});

// The model as a table: path, module, inputs, outputs, parameters and bytes. `depth`: how far down;
// none: all.
std::string model_summary(const Trainer& trainer, std::optional<int> depth = {});

TrainState init_state(const Trainer& trainer, const InitOptions& options = {});

// What a state looks like, as tensors without values: step, params, collections, opt_state.
Tree state_specs(const Trainer& trainer);

// Everything that keys can name in a step, as tensors without values. An Error for a key that leads
// nowhere, or values of the wrong shape, starts with its place: "train_losses.recon".
Tree context_specs(const Trainer& trainer);

// ---- For the loop and for evaluations in jobs of their own.

// The trainer's folder; an Error when it is not set.
std::string workdir_of(const Trainer& trainer);
// Numbers of steps that cannot be meant are an Error.
void check_fields(const Trainer& trainer);
// What the training reads. Errors start with "train_ds".
struct TrainData {
  data::Dataset batches;
  Tree element_spec;
};
TrainData open_train_data(const Trainer& trainer);
// The names of evaluators and their keys fit; an Error says what is wrong.
void check_evaluators(const Trainer& trainer);
// The metric that chooses the best checkpoints is there at every step that is saved.
void check_best_metric(const Trainer& trainer);
// Checks the keys of losses, metrics, summaries and model on a batch of zeros, and gives the specs.
Tree check_step(StepRun& run, const TrainState& state, const Tree& spec);

// `saved`, the content of this checkpoint, as a state like `state`; an Error names the checkpoint.
TrainState restored_from(const std::filesystem::path& checkpoint, const TrainState& state,
                         const Tree& saved);

// Values as they are written, and more numbers beside them.
writers::Record record_of(std::int64_t step, const AuxValues& values,
                          std::vector<std::pair<std::string, double>> more = {});

}  // namespace kd::train
