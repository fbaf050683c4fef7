// Training: the whole run of a trainer, with evaluations, checkpoints and what is written.
//
//   auto trainer = konfig::resolve<train::Trainer>(cfg);
//   train::TrainResult result = train::train(*trainer, {.config = cfg});
//
// Each index i from 0 to num_train_steps: evaluations due at i, a checkpoint if one is due, a
// batch, a step, what is logged at i. So checkpoint i holds the state after i updates. A run that
// is counted in epochs (kd/train/epochs.h) ends with evaluations and a checkpoint after its last
// update.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "kd/core/place.h"
#include "kd/train/engine/aux_state.h"
#include "kd/train/engine/state.h"
#include "konfig/config_dict.h"

namespace kd::writers {
struct Record;  // kd/writers/engine/writer.h
}

namespace kd::train {

struct Trainer;  // kd/train/trainer.h

// A file in the run's folder, there when the run has ended.
inline constexpr const char* kCompleteFile = "train_complete.txt";

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
  Place place = {};                         // of `done`: before the step
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

}  // namespace kd::train
