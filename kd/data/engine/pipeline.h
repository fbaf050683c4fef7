// How pipelines are opened, and what a pipeline of one's own has: either
//
//   Dataset open(const Process& process) const;
//
// or, to be shuffled, split over processes, mixed and batched like those of kd::data::py, their
// fields and
//
//   std::shared_ptr<const Records> records() const;
//
// With `StreamPtr stream(const random::Key&, const Process&) const` beside `open` it may be part of
// other datasets, too.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "kd/core/implement.h"
#include "kd/data/engine/dataset.h"
#include "kd/data/engine/stream.h"
#include "kd/data/pipelines/pipelines.h"
#include "kd/random/key.h"

namespace kd::data {

constexpr int kAllCores = std::numeric_limits<int>::max();

// How a stream becomes batches.
struct Batching {
  std::optional<std::int64_t> num_epochs = {};  // None: for ever
  std::optional<std::int64_t> batch_size = {};  // over all processes; None or 0: single records
  Remainder remainder = Remainder::drop;        // of the last batch
  int num_workers = 0;                          // threads besides the caller, up to kAllCores
  int buffer_size = 1;                          // batches that each of them may have waiting
};
Dataset batched(StreamPtr stream, const Batching& batching, const Process& process = {});

// The examples in memory, shuffled as numpy does; what is left of each epoch is dropped.
struct InMemoryOptions {
  std::int64_t batch_size = 1;  // over all processes
  std::uint64_t seed = 0;
  bool shuffle = false;
  std::optional<std::int64_t> num_epochs = {};  // None: for ever
};
Dataset in_memory_batches(Tree examples, const InMemoryOptions& options,
                          const Process& process = {});

// The same dataset, whose iterators save nothing and start over when they are restored.
Dataset not_checkpointed(Dataset dataset);

// The seed in the config or, for a pipeline that stands alone without one, a random one.
std::int64_t seed_of(const konfig::Inherit<int, "seed">& seed);
// The key that all randomness of a pipeline comes from, and the parts of it.
random::Key root_key(std::int64_t seed);
std::uint32_t shuffle_seed(const random::Key& key);

// A source in its order, for one process: seeded, its share, shuffled.
StreamPtr ordered(RecordsPtr records, const random::Key& key, bool shuffle,
                  const std::optional<Process>& share);
StreamPtr with_transforms(StreamPtr stream, const Transforms& transforms, Backend backend);
// Records that cannot be read are left out and counted.
StreamPtr skipping_errors(StreamPtr stream);
// How many were left out since the program started.
std::int64_t skipped_records();

struct PipelineOps {
  Dataset (*open)(const void* pipeline, const Process& process);
  // None for pipelines that cannot be part of a mixture.
  StreamPtr (*stream)(const void* pipeline, const random::Key& key, const Process& process);
  // What a dataset that goes on by itself within another one does with its stream; None where the
  // stream has its epochs already.
  std::optional<std::int64_t> (*num_epochs)(const void* pipeline);
};

namespace detail {

template <class T>
concept OpensDataset = requires(const T& t, const Process& process) {
  { t.open(process) } -> std::convertible_to<Dataset>;
};
template <class T>
concept HasStream = requires(const T& t, const random::Key& key, const Process& process) {
  { t.stream(key, process) } -> std::convertible_to<StreamPtr>;
};
template <class T>
concept HasRecords = requires(const T& t) {
  { t.records() } -> std::convertible_to<RecordsPtr>;
};

void check_worker_init_fn(const konfig::Value& function);

std::vector<StreamPtr> streams_of(const std::vector<Poly<Pipeline>>& datasets,
                                  const random::Key& key, const Process& process);

template <class T>
StreamPtr stream_of(const void* pipeline, const random::Key& key, const Process& process) {
  const T& self = *static_cast<const T*>(pipeline);
  if constexpr (requires { self.worker_init_fn; }) check_worker_init_fn(self.worker_init_fn);
  if constexpr (HasStream<T>) {
    return self.stream(key, process);
  } else {
    StreamPtr out;
    if constexpr (HasRecords<T>) {
      std::optional<Process> share;
      if (self.shard_by_process) share = process;
      out = ordered(self.records(), key, self.shuffle, share);
      if (self.skip_bad_records) out = skipping_errors(std::move(out));
    } else {
      out = self.combine(streams_of(self.datasets, key, process));
      if (self.shuffle) out = shuffled(std::move(out), shuffle_seed(key));
    }
    return with_transforms(std::move(out), self.transforms, Backend::py);
  }
}

template <class T>
Dataset open_as(const void* pipeline, const Process& process) {
  const T& self = *static_cast<const T*>(pipeline);
  if constexpr (OpensDataset<T>) {
    return self.open(process);
  } else {
    return batched(stream_of<T>(pipeline, root_key(seed_of(self.seed)), process),
                   {.num_epochs = self.num_epochs,
                    .batch_size = self.batch_size,
                    .remainder = self.batch_drop_remainder.mode(),
                    .num_workers = self.num_workers,
                    .buffer_size = self.per_worker_buffer_size},
                   process);
  }
}

template <class T>
std::optional<std::int64_t> epochs_of(const void* pipeline) {
  return static_cast<const T*>(pipeline)->num_epochs;
}

template <class T>
constexpr PipelineOps pipeline_ops() {
  if constexpr (OpensDataset<T> && !HasStream<T>) {
    return {open_as<T>, nullptr, nullptr};
  } else if constexpr (HasStream<T>) {
    return {open_as<T>, stream_of<T>, nullptr};
  } else {
    return {open_as<T>, stream_of<T>, epochs_of<T>};
  }
}

}  // namespace detail
}  // namespace kd::data

namespace kd {

template <>
struct Implement<Pipeline> {
  using Ops = data::PipelineOps;
  template <class T>
  static constexpr Ops ops = data::detail::pipeline_ops<T>();
};

}  // namespace kd
