// The checkpoints of a run, in <workdir>/checkpoints/ckpt_<step>/: tensors as safetensors, the rest
// as JSON, a checksum of each file.
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
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "kd/checkpoints/checkpointer.h"
#include "kd/tree/tree.h"

namespace kd::ckpts {

// What one checkpoint holds.
struct Snapshot {
  Tree state;                             // of a train state: step, params, collections, opt_state
  konfig::Map<konfig::Value> items = {};  // the rest, as JSON: "timer", "ds_iter", "machine"
  std::int64_t step = 0;                  // of the checkpoint it was restored from
};

// What is known of a checkpoint without reading it.
struct Info {
  std::int64_t step = 0;
  double time = 0;             // seconds since 1970
  konfig::Value metrics = {};  // None when there are none
};

class Manager {
 public:
  // Without options, or with NoopCheckpointer, nothing is ever saved or found. The options' own
  // workdir, if given, wins. Leftovers of an interrupted save are removed, unless read-only.
  Manager(const Poly<Checkpoints>& options, const std::filesystem::path& workdir,
          bool read_only = false);
  ~Manager();  // waits for the save under way
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // Complete ones, in order. A read-only manager looks at the folder each time.
  std::vector<std::int64_t> all_steps() const;
  std::optional<std::int64_t> latest_step() const;
  bool should_save(std::int64_t step) const;

  // Copies the tensors and writes them in the background, after the save before is done. `metrics`
  // are those of the evaluators, {"eval": {"accuracy": 0.9}}, for best_metric_path. What may pass,
  // such as a server that does not answer, is tried three times more. An Error when the step
  // exists, or what the save before met. With `keep` it stays until the next save, whatever the
  // options say.
  void save(std::int64_t step, const Snapshot& snapshot, const konfig::Value& metrics = {},
            bool keep = false);
  // What the save under way met is thrown here.
  void wait_until_finished();

  // The newest, or that of a step. All files are checked; an Error names the damaged one, unless
  // the options say to use the checkpoint before.
  Snapshot restore(std::optional<std::int64_t> step = {});
  void remove(std::int64_t step);

  // What happens between two attempts to save; by default it waits for 5 seconds.
  void set_between_attempts(std::function<void()> wait) { between_attempts_ = std::move(wait); }

  bool is_noop() const { return !options_.has_value(); }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  void scan();
  void set_aside(std::int64_t step);
  void write(const Snapshot& snapshot, const Info& info) const;

  std::optional<Checkpointer> options_;
  std::filesystem::path folder_;
  bool read_only_;
  std::vector<Info> infos_;   // with the one being saved; of read-only managers unused
  std::vector<Info> before_;  // without it
  std::function<void()> between_attempts_;
  std::future<void> pending_;
};

// Where the checkpoint of a step is.
std::filesystem::path step_folder(const std::filesystem::path& folder, std::int64_t step);

}  // namespace kd::ckpts
