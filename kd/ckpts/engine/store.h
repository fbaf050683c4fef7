// Where the checkpoints of a run are kept. Checkpoints of your own are a struct with a member
// `open`, which gives a Store; nullptr saves nothing and finds nothing:
//
//   struct InMemory {
//     std::unique_ptr<ckpts::Store> open(const std::filesystem::path& workdir,
//                                        bool read_only) const;
//   };
//   KD_COMPONENT(kd::Checkpoints, InMemory);        // cfg.checkpointer = InMemory{}
//
// Further members, where they apply:
//
//   // the folder it was told to use in place of the run's
//   std::optional<std::filesystem::path> own_folder() const;
//   // a copy that uses this folder and keeps at most so many: for what an evaluator trains or
//   // saves. Without it, the folder that `open` gets is all that tells these apart.
//   Poly<Checkpoints> moved_to(const std::filesystem::path& folder, std::optional<int> most) const;
//   // the metric that chooses what is kept; a run checks at its start that it is measured
//   std::optional<ckpts::BestMetric> best_metric(std::int64_t last_step) const;
//
// Those of ckpts::Checkpointer are folders: kd/ckpts/engine/manager.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kd/ckpts/checkpointer.h"
#include "kd/core/implement.h"
#include "kd/core/place.h"
#include "kd/core/tree.h"

namespace kd::ckpts {

// What one checkpoint holds.
struct Snapshot {
  Tree state;                             // of a train state: step, params, collections, opt_state
  konfig::Map<konfig::Value> items = {};  // the rest, as JSON: "timer", "ds_iter", "machine"
  std::int64_t step = 0;                  // of the checkpoint it was restored from
};

class Store {
 public:
  virtual ~Store() = default;

  // Complete ones, in order. One that is read only looks each time what another process saved.
  virtual std::vector<std::int64_t> all_steps() const = 0;
  virtual std::optional<std::int64_t> latest_step() const;  // by default the last of all_steps
  virtual bool should_save(std::int64_t step) const = 0;
  // The same of a run that is counted in epochs; by default the step decides.
  virtual bool should_save_in_epoch(const Place& place) const { return should_save(place.step); }

  // The caller goes on changing the tensors: what is written later is copied first. `metrics` are
  // those of the evaluators, {"eval": {"accuracy": 0.9}}. With `keep` it stays until the next save,
  // whatever else decides what is kept.
  virtual void save(std::int64_t step, const Snapshot& snapshot, const konfig::Value& metrics,
                    bool keep) = 0;
  // What a save under way met is thrown here.
  virtual void wait_until_finished() {}
  // The same of a save that has ended, without waiting for one: asked before each step, so that a
  // full disk stops a run at once and not at the next save.
  virtual void check_saved() {}

  // The newest, or that of a step; an Error when there is none.
  virtual Snapshot restore(std::optional<std::int64_t> step) = 0;
  virtual void remove(std::int64_t step) = 0;

  // Where the checkpoint of a step is, for messages.
  virtual std::string place_of(std::int64_t step) const;
};

// The metric that decides which checkpoints stay.
struct BestMetric {
  std::string path;                      // of an evaluator, "eval.accuracy", or of "train"
  std::vector<std::int64_t> steps = {};  // saved ones, at which it must be measured; empty: any
};

struct CheckpointsOps {
  std::unique_ptr<Store> (*open)(const void* self, const std::filesystem::path& workdir,
                                 bool read_only);
  // nullptr: it has no such member.
  std::optional<std::filesystem::path> (*own_folder)(const void* self) = nullptr;
  Poly<Checkpoints> (*moved_to)(const void* self, const std::filesystem::path& folder,
                                std::optional<int> most) = nullptr;
  std::optional<BestMetric> (*best_metric)(const void* self, std::int64_t last_step) = nullptr;
};

// What those members give; None, or the same checkpoints, without them.
std::optional<std::filesystem::path> own_folder(const Poly<Checkpoints>& checkpoints);
Poly<Checkpoints> moved_to(const Poly<Checkpoints>& checkpoints,
                           const std::filesystem::path& folder, std::optional<int> most = {});
std::optional<BestMetric> best_metric(const Poly<Checkpoints>& checkpoints, std::int64_t last_step);

namespace detail {

template <class T>
constexpr CheckpointsOps checkpoints_ops() {
  using std::filesystem::path;
  CheckpointsOps ops = {
      .open = [](const void* self, const path& workdir, bool read_only) -> std::unique_ptr<Store> {
        return static_cast<const T*>(self)->open(workdir, read_only);
      }};
  if constexpr (requires(const T& t) { t.own_folder(); }) {
    ops.own_folder = [](const void* self) -> std::optional<path> {
      return static_cast<const T*>(self)->own_folder();
    };
  }
  if constexpr (requires(const T& t, const path& folder) { t.moved_to(folder, 1); }) {
    ops.moved_to = [](const void* self, const path& folder,
                      std::optional<int> most) -> Poly<Checkpoints> {
      return static_cast<const T*>(self)->moved_to(folder, most);
    };
  }
  if constexpr (requires(const T& t) { t.best_metric(std::int64_t{1}); }) {
    ops.best_metric = [](const void* self, std::int64_t last) -> std::optional<BestMetric> {
      return static_cast<const T*>(self)->best_metric(last);
    };
  }
  return ops;
}

}  // namespace detail
}  // namespace kd::ckpts

template <>
struct kd::Implement<kd::Checkpoints> {
  using Ops = ckpts::CheckpointsOps;
  template <class T>
  static constexpr Ops ops = ckpts::detail::checkpoints_ops<T>();
};
