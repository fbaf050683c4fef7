// What experiments save, and what they start from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kd/ckpts/checkpointer.h"
#include "kd/core/dtype.h"
#include "kd/exports/exporter.h"

namespace kd {
class Tree;  // kd/core/tree.h
}

namespace kd::problems {

// The newest checkpoints stay, and of the others one of each so many seconds since the run began.
struct NewestAndSpaced {
  Required<int> newest;                      // how many
  std::optional<double> interval_secs = {};  // None: the newest only
  double since = 0;                          // when the run began, in seconds since 1970
  ckpts::Kept kept(const std::vector<ckpts::Info>& infos) const;
};

// Checkpoints before the first step, after each epoch and within epochs. The newest are kept, and
// one of each twelve hours. A run that finds its newest one damaged goes on from the one before.
struct EpochCheckpointer {
  int every_it = -1;                                      // steps between those within an epoch
  std::optional<int> max_to_keep = 3;                     // None: all
  std::optional<double> keep_time_interval = 12 * 3600.;  // seconds
  bool resume = true;                                     // false: an Error where there are some
  std::unique_ptr<ckpts::Store> open(const std::filesystem::path& run, bool read_only) const;
};

// Starts from the model of another run, or of a file: parameters, and what calls of the model
// change. A run's folder (its newest checkpoint), a checkpoint's, a saved model's, or .safetensors.
struct ModelWeights {
  Required<std::string> path;             // the file or folder of the weights
  std::string part = "";                  // "student": of the model; empty: all of it
  std::vector<std::string> without = {};  // layers that keep their first values: "head"
  std::string given_by = "path";          // the field that errors name: "trainer.init_ckpt"
  Tree transform(Tree state) const;
};

// Saves the model that was trained as <workdir>/model with each checkpoint, for kd::load_model.
struct SaveClassifier {
  static constexpr bool at_every_save = true;
  bool binary = false;           // as in SavedClassifier
  DType dtype = DType::float32;  // of the images it takes
  void export_model(const exports::Model& model, const std::filesystem::path& workdir) const;
};
struct SaveStudent {
  static constexpr bool at_every_save = true;
  void export_model(const exports::Model& model, const std::filesystem::path& workdir) const;
};
// Calls save_model of a problem that computes.
struct SaveProblem {
  static constexpr bool at_every_save = true;
  Required<std::string> problem_class;  // its registered name
  konfig::ConfigDict problem = {};      // the fields of its config
  konfig::ConfigDict timekeeping = {};  // the fields of the experiment's Timekeeping
  void export_model(const exports::Model& model, const std::filesystem::path& workdir) const;
};

}  // namespace kd::problems

KONFIG_COMPONENT(kd::PreservationPolicy, kd::problems::NewestAndSpaced);
KONFIG_COMPONENT(kd::Checkpoints, kd::problems::EpochCheckpointer);
KONFIG_COMPONENT(kd::InitTransform, kd::problems::ModelWeights);
KONFIG_COMPONENT(kd::ExporterFn, kd::problems::SaveClassifier);
KONFIG_COMPONENT(kd::ExporterFn, kd::problems::SaveStudent);
KONFIG_COMPONENT(kd::ExporterFn, kd::problems::SaveProblem);
