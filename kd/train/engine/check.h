// What is known of a run before its first step: whether its parts fit, and the shapes of all
// values.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "kd/core/tree.h"
#include "kd/data/engine/dataset.h"

namespace kd::train {

class StepRun;      // kd/train/engine/train_step.h
struct TrainState;  // kd/train/engine/state.h
struct Trainer;     // kd/train/trainer.h

// The model as a table: path, module, inputs, outputs, parameters and bytes. `depth`: how far down;
// none: all.
std::string model_summary(const Trainer& trainer, std::optional<int> depth = {});

// What a state looks like, as tensors without values: step, params, collections, opt_state.
Tree state_specs(const Trainer& trainer);

// Everything that keys can name in a step, as tensors without values. An Error for a key that leads
// nowhere, or values of the wrong shape, starts with its place: "train_losses.recon".
Tree context_specs(const Trainer& trainer);

// ---- For the loop and for evaluations in jobs of their own.

// The trainer's folder; an Error when it is not set.
std::string workdir_of(const Trainer& trainer);
// An Error if the trainer has a folder that cannot be made or written to. It stays as it is.
void check_workdir(const Trainer& trainer);
void check_workdir(const std::filesystem::path& path);
// Where the trainer's own exporter writes; "" if it has another one, or none.
std::filesystem::path export_folder(const Trainer& trainer);
// Throws an Error if a step count is negative or zero where it must not be.
void check_fields(const Trainer& trainer);
// For programs: an Error if there are no losses and the steps learn from losses alone.
void check_has_losses(const Trainer& trainer);
// What the training reads. Errors start with "train_ds".
struct TrainData {
  data::Dataset batches;
  Tree element_spec;
  std::optional<std::int64_t> pass_size = {};  // batches of a pass; none: they span passes
};
TrainData open_train_data(const Trainer& trainer);
// An Error if a batch of these shapes is larger than the memory of the machine.
void check_batch_fits(const Tree& spec);
// The names of evaluators and their keys fit; an Error says what is wrong.
void check_evaluators(const Trainer& trainer);
// The metric that chooses the best checkpoints is there at every step that is saved.
void check_best_metric(const Trainer& trainer);
// Checks the keys of losses, metrics, summaries and model on a batch of zeros, and gives the specs.
Tree check_step(StepRun& run, const TrainState& state, const Tree& spec);

}  // namespace kd::train
