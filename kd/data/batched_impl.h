// A stream cut into batches. Library only.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "kd/data/engine/pipeline.h"

namespace kd::data::detail {

// The part of a batch that one process reads.
std::int64_t host_batch_size(std::int64_t global, const Process& process);

class StreamBatches final : public DatasetImpl, public std::enable_shared_from_this<StreamBatches> {
 public:
  StreamBatches(StreamPtr parent, const Batching& batching, const Process& process);

  std::unique_ptr<IteratorImpl> iterate() const override;
  std::optional<std::int64_t> size() const override;
  Tree element_spec() const override;
  Tree at(std::int64_t i) const override;

  // ---- For iterators. Positions are those of the stream, over all epochs.

  std::int64_t batch_size() const { return batch_size_; }  // of this process; 0: no batches
  std::int64_t stream_size() const { return stream_->size(); }
  bool has_filter() const { return has_filter_; }
  Remainder remainder() const { return batching_.remainder; }
  const Batching& batching() const { return batching_; }

  // Where the batch that begins here ends; here when there is none.
  std::int64_t end_of(std::int64_t begin) const;
  Tree make(std::int64_t begin, std::int64_t end) const;
  Tree make(std::span<const Tree> records) const;
  // None where it is filtered out. An Error names the position.
  std::optional<Tree> record(std::int64_t position) const;
  RecordId origin(std::int64_t position) const { return stream_->origin(position); }
  // An Error when so many records in a row were filtered out that no other can follow.
  void check_progress(std::int64_t scanned) const;

 private:
  Tree finished(Tree batch) const;
  void find_error(std::span<const std::int64_t> positions) const;

  std::int64_t epoch_;
  StreamPtr stream_;
  Batching batching_;
  std::int64_t batch_size_;
  bool has_filter_;
};

// The records at these positions.
std::vector<RecordId> origins(const StreamBatches& of, std::int64_t begin, std::int64_t end);
std::vector<RecordId> origins(const StreamBatches& of, std::span<const std::int64_t> positions);

// With threads; the same batches as without.
std::unique_ptr<IteratorImpl> parallel_iterator(std::shared_ptr<const StreamBatches> from);

konfig::Value position_state(std::int64_t next);
std::int64_t position_of(const konfig::Value& state);

}  // namespace kd::data::detail
