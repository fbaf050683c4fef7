// Checkpoints: when the state of a run is saved and what is kept. What they do is in
// kd/ckpts/engine/manager.h; one of your own: kd/ckpts/engine/store.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kd/ckpts/loaders.h"
#include "kd/ckpts/policies.h"
#include "kd/core/interfaces.h"
#include "konfig/config_dict.h"
#include "konfig/inherit.h"

namespace kd::ckpts {

class Store;        // kd/ckpts/engine/store.h
struct BestMetric;  // kd/ckpts/engine/store.h

// Which value of a metric is best.
enum class BestMode { max, min };

// What a run does that finds its newest checkpoint damaged.
enum class OnDamaged {
  error,     // it ends
  previous,  // it goes on from the one before
};

// What a run does when a save fails, as on a full disk.
enum class OnSaveError {
  stop,       // it ends
  continue_,  // "continue": it goes on, with a warning
};

// Saves at regular steps and keeps the newest ones.
struct Checkpointer {
  static constexpr std::string_view konfig_raw_fields[] = {"multiprocessing_options"};

  Required<int> save_interval_steps;                  // saves every so many steps
  std::optional<int> max_to_keep = 3;                 // older ones are removed; None: all stay
  std::optional<double> keep_time_interval = {};      // seconds: one of each such time stays
  std::optional<int> keep_period = {};                // multiples of this step are never removed
  std::vector<int> save_on_steps = {};                // further steps to save at
  std::optional<std::string> best_metric_path = {};   // keeps the best by this: "eval.accuracy"
  BestMode best_mode = BestMode::max;                 // whether the highest or lowest is best
  Poly<PreservationPolicy> preservation_policy = {};  // what is kept, in place of all of the above
  bool never_save_step_zero = false;                  // the first save comes at step 1
  OnDamaged on_damaged = OnDamaged::error;            // "previous" uses the one before
  OnSaveError on_save_error = OnSaveError::stop;      // "continue" goes on with a warning
  konfig::Inherit<std::optional<std::string>, "workdir"> workdir = inherit;  // the run's folder
  bool create = true;                               // makes the folder when it is missing
  konfig::ConfigDict multiprocessing_options = {};  // no effect: there is one process
  bool lightweight_initialize = false;              // no effect: opening is always quick
  bool cleanup_orphaned_snapshots = false;          // no effect: there are no snapshots
  bool fast = true;                                 // no effect: there is one way to write
  void konfig_post_resolve(const konfig::ConfigDict& node) const;
  std::unique_ptr<Store> open(const std::filesystem::path& run, bool read_only) const;
  std::optional<std::filesystem::path> own_folder() const;
  Poly<Checkpoints> moved_to(const std::filesystem::path& folder, std::optional<int> most) const;
  std::optional<BestMetric> best_metric(std::int64_t last_step) const;
};

// Saves nothing, and finds nothing.
struct NoopCheckpointer {
  std::unique_ptr<Store> open(const std::filesystem::path& run, bool read_only) const;
};

}  // namespace kd::ckpts

KONFIG_COMPONENT(kd::Checkpoints, kd::ckpts::Checkpointer, "kauldron.kd:ckpts.Checkpointer");
KONFIG_COMPONENT(kd::Checkpoints, kd::ckpts::NoopCheckpointer,
                 "kauldron.kd:ckpts.NoopCheckpointer");
