// Where the checkpoints of a run are kept. Checkpoints of your own are a struct with a member
// `open`, which gives a Store; nullptr saves nothing and finds nothing:
//
//   struct InMemory {
//     std::unique_ptr<ckpts::Store> open(const std::filesystem::path& workdir,
//                                        bool read_only) const;
//   };
//   KD_COMPONENT(kd::Checkpoints, InMemory);        // cfg.checkpointer = InMemory{}
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

  // The caller goes on changing the tensors: what is written later is copied first. `metrics` are
  // those of the evaluators, {"eval": {"accuracy": 0.9}}. With `keep` it stays until the next save,
  // whatever else decides what is kept.
  virtual void save(std::int64_t step, const Snapshot& snapshot, const konfig::Value& metrics,
                    bool keep) = 0;
  // What a save under way met is thrown here.
  virtual void wait_until_finished() {}

  // The newest, or that of a step; an Error when there is none.
  virtual Snapshot restore(std::optional<std::int64_t> step) = 0;
  virtual void remove(std::int64_t step) = 0;

  // Where the checkpoint of a step is, for messages.
  virtual std::string place_of(std::int64_t step) const;
};

struct CheckpointsOps {
  std::unique_ptr<Store> (*open)(const void* self, const std::filesystem::path& workdir,
                                 bool read_only);
};

}  // namespace kd::ckpts

template <>
struct kd::Implement<kd::Checkpoints> {
  using Ops = ckpts::CheckpointsOps;
  template <class T>
  static constexpr Ops ops = {[](const void* self, const std::filesystem::path& workdir,
                                 bool read_only) -> std::unique_ptr<ckpts::Store> {
    return static_cast<const T*>(self)->open(workdir, read_only);
  }};
};
