// The checkpoints of a run. Those of a Checkpointer are in <workdir>/checkpoints/ckpt_<step>/:
// tensors as safetensors, the rest as JSON, a checksum of each file.
//
//   ckpts::Manager manager(trainer.checkpointer, workdir);
//   if (auto last = manager.latest_step()) state = manager.restore().state;
//   ...
//   if (manager.should_save(step)) manager.save(step, {.state = state, .items = {{"timer", ...}}});
//   ...
//   manager.wait_until_finished();
//
// A checkpoint is written aside, synced to disk and renamed: it is there as a whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kd/ckpts/engine/store.h"

namespace kd::ckpts {

class Manager {
 public:
  // Without options, or with NoopCheckpointer, nothing is ever saved or found. A Checkpointer's own
  // workdir, if given, wins; leftovers of an interrupted save are removed, unless read-only.
  Manager(const Poly<Checkpoints>& options, const std::filesystem::path& workdir,
          bool read_only = false);

  // Complete ones, in order. A read-only manager looks each time what is there.
  std::vector<std::int64_t> all_steps() const;
  std::optional<std::int64_t> latest_step() const;
  bool should_save(std::int64_t step) const;
  bool should_save_in_epoch(const Place& place) const;  // of a run that is counted in epochs

  // Copies the tensors and writes them in the background, after the save before is done. `metrics`
  // are those of the evaluators, {"eval": {"accuracy": 0.9}}, for best_metric_path. What may pass,
  // such as a server that does not answer, is tried three times more. An Error when the step
  // exists, or what the save before met. With `keep` it stays until the next save, whatever the
  // options say.
  void save(std::int64_t step, const Snapshot& snapshot, const konfig::Value& metrics = {},
            bool keep = false);
  // What the save under way met is thrown here.
  void wait_until_finished();
  void check_saved();

  // The newest, or that of a step. All files are checked; an Error names the damaged one, unless
  // the options say to use the checkpoint before.
  Snapshot restore(std::optional<std::int64_t> step = {});
  void remove(std::int64_t step);

  bool is_noop() const { return !store_; }
  // Where the checkpoint of a step is: "runs/a/checkpoints/ckpt_500".
  std::string place_of(std::int64_t step) const;

 private:
  std::unique_ptr<Store> store_;
};

// Where a Checkpointer keeps the checkpoint of a step, below <workdir>/checkpoints.
std::filesystem::path step_folder(const std::filesystem::path& folder, std::int64_t step);

}  // namespace kd::ckpts
