// Streams as batches.
#include <c10/util/ParallelGuard.h>

#include <algorithm>
#include <numeric>

#include "kd/data/batched_impl.h"
#include "kd/data/engine/batch.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"

namespace kd::data {

using konfig::Dict;
using konfig::Value;

namespace detail {

namespace {

void at_least(int least, const char* field, std::int64_t value) {
  if (value >= least) return;
  throw Error(ErrorKind::value, field,
              "expected a whole number of " + std::to_string(least) + " or more, got " +
                  std::to_string(value));
}

void check_workers(const Batching& batching) {
  at_least(0, "num_workers", batching.num_workers);
  at_least(1, "per_worker_buffer_size", batching.buffer_size);
}

}  // namespace

std::int64_t host_batch_size(std::int64_t global, const Process& process) {
  at_least(0, "batch_size", global);
  if (global % process.count != 0) {
    throw Error(ErrorKind::value, "batch_size",
                std::to_string(global) + " examples cannot be split evenly over " +
                    std::to_string(process.count) + " processes");
  }
  return global / process.count;
}

StreamBatches::StreamBatches(StreamPtr parent, const Batching& batching, const Process& process)
    : epoch_(parent->size()),
      stream_(repeated(std::move(parent), batching.num_epochs)),
      batching_(batching),
      batch_size_(host_batch_size(batching.batch_size.value_or(0), process)),
      has_filter_(stream_->has_filter()) {
  check_workers(batching);
}

std::int64_t StreamBatches::end_of(std::int64_t begin) const {
  const std::int64_t left = stream_->size() - begin,
                     wanted = std::max<std::int64_t>(batch_size_, 1);
  if (left >= wanted) return begin + wanted;
  return batching_.remainder == Remainder::drop ? begin : stream_->size();
}

// Workers are the threads of a pipeline; single steps that start threads of their own, for small
// tensors, would only slow each other down.
Tree StreamBatches::make(std::int64_t begin, std::int64_t end) const {
  const c10::ParallelGuard serial(true);
  if (batch_size_ == 0) return stream_->at(begin).value();
  std::vector<std::int64_t> positions(static_cast<std::size_t>(end - begin));
  std::iota(positions.begin(), positions.end(), begin);
  try {
    return finished(stream_->batch(positions));
  } catch (const Error&) {
    find_error(positions);
    throw;
  }
}

Tree StreamBatches::make(std::span<const Tree> records) const { return finished(stack(records)); }

Tree StreamBatches::finished(Tree batch) const {
  return batching_.remainder == Remainder::pad ? pad_rows(batch, batch_size_) : batch;
}

// Which record is at fault; none is when only their combination is.
void StreamBatches::find_error(std::span<const std::int64_t> positions) const {
  for (std::int64_t position : positions) record(position);
}

std::optional<Tree> StreamBatches::record(std::int64_t position) const {
  const c10::ParallelGuard serial(true);
  try {
    return stream_->at(position);
  } catch (const Error& e) {
    throw in_place("position " + std::to_string(position) + " of the data", e);
  }
}

std::optional<std::int64_t> StreamBatches::size() const {
  const std::int64_t records = stream_->size();
  if (records == kForever) return {};
  const std::int64_t each = std::max<std::int64_t>(batch_size_, 1);
  return batching_.remainder == Remainder::drop ? records / each : (records + each - 1) / each;
}

Tree StreamBatches::element_spec() const {
  std::int64_t rows = end_of(0);
  if (rows == 0)
    throw Error(ErrorKind::value, "the dataset gives no batch: it has " +
                                      std::to_string(stream_->size()) + " records, a batch " +
                                      std::to_string(batch_size_));
  if (batching_.remainder == Remainder::pad) rows = batch_size_;
  for (std::int64_t position = 0; position < stream_->size(); ++position) {
    check_progress(position);
    auto found = record(position);
    if (!found) continue;
    const Tree spec = spec_of(*found);
    return batch_size_ == 0 ? spec : batched_spec(spec, rows);
  }
  throw Error(ErrorKind::value, "the filters leave no record");
}

void StreamBatches::check_progress(std::int64_t scanned) const {
  // Of data that repeat for ever within, the length of an epoch is not known here.
  constexpr std::int64_t kMany = 10'000'000;
  const bool known = epoch_ <= kForever / 2;
  if (scanned <= (known ? 2 * epoch_ : kMany)) return;
  throw Error(
      ErrorKind::value,
      known ? "the filters left no record of a whole epoch, " + std::to_string(epoch_) + " of them"
            : "the filters left none of " + std::to_string(kMany) + " records");
}

Tree StreamBatches::at(std::int64_t i) const {
  if (has_filter_) return DatasetImpl::at(i);
  const auto batches = size();
  const std::int64_t each = std::max<std::int64_t>(batch_size_, 1);
  if (i < 0 || (batches ? i >= *batches : i > kForever / each - 1)) {
    throw Error(ErrorKind::index, "there is no batch " + std::to_string(i) + " of " +
                                      (batches ? std::to_string(*batches) : "infinitely many"));
  }
  return make(i * each, end_of(i * each));
}

std::vector<RecordId> origins(const StreamBatches& of, std::int64_t begin, std::int64_t end) {
  std::vector<RecordId> out;
  for (std::int64_t i = begin; i < end; ++i) out.push_back(of.origin(i));
  return out;
}

std::vector<RecordId> origins(const StreamBatches& of, std::span<const std::int64_t> positions) {
  std::vector<RecordId> out;
  for (std::int64_t i : positions) out.push_back(of.origin(i));
  return out;
}

Value position_state(std::int64_t next) { return Dict{{"next_index", next}}; }

std::int64_t position_of(const Value& state) {
  auto* dict = state.get_if<Dict>();
  auto* next = dict ? dict->find("next_index") : nullptr;
  if (!next || !next->is<std::int64_t>() || next->as<std::int64_t>() < 0) {
    throw Error(ErrorKind::value,
                "the state has no position 'next_index': it was saved by another kind of dataset");
  }
  return next->as<std::int64_t>();
}

namespace {

// On the thread of the caller.
class PlainIterator final : public IteratorImpl {
 public:
  explicit PlainIterator(std::shared_ptr<const StreamBatches> from) : from_(std::move(from)) {}
  std::optional<Tree> next() override {
    const std::int64_t end = from_->end_of(next_);
    if (end == next_) return {};
    Tree batch = from_->make(next_, end);
    begin_ = next_;
    next_ = end;
    return batch;
  }
  Value state() const override { return position_state(next_); }
  void restore(const Value& state) override { begin_ = next_ = position_of(state); }
  std::vector<RecordId> records() const override { return origins(*from_, begin_, next_); }

 private:
  std::shared_ptr<const StreamBatches> from_;
  std::int64_t begin_ = 0, next_ = 0;
};

// Where records may be missing, a batch ends behind its last record.
class FilteredIterator final : public IteratorImpl {
 public:
  explicit FilteredIterator(std::shared_ptr<const StreamBatches> from) : from_(std::move(from)) {}
  std::optional<Tree> next() override {
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(from_->batch_size(), 1));
    std::vector<Tree> records;
    std::vector<std::int64_t> positions;
    std::int64_t at = next_, last = next_;
    for (; records.size() < wanted && at < from_->stream_size(); ++at) {
      from_->check_progress(at - last);
      if (auto record = from_->record(at)) {
        records.push_back(std::move(*record));
        positions.push_back(at);
        last = at;
      }
    }
    const bool full = records.size() == wanted;
    if (records.empty() || (!full && from_->remainder() == Remainder::drop)) return {};
    next_ = at;
    positions_ = std::move(positions);
    return from_->batch_size() == 0 ? std::move(records[0]) : from_->make(records);
  }
  Value state() const override { return position_state(next_); }
  void restore(const Value& state) override {
    next_ = position_of(state);
    positions_.clear();
  }
  std::vector<RecordId> records() const override { return origins(*from_, positions_); }

 private:
  std::shared_ptr<const StreamBatches> from_;
  std::int64_t next_ = 0;
  std::vector<std::int64_t> positions_;
};

}  // namespace

std::unique_ptr<IteratorImpl> StreamBatches::iterate() const {
  if (batching_.num_workers > 0) return parallel_iterator(shared_from_this());
  if (has_filter_) return std::make_unique<FilteredIterator>(shared_from_this());
  return std::make_unique<PlainIterator>(shared_from_this());
}

}  // namespace detail

Dataset batched(StreamPtr stream, const Batching& batching, const Process& process) {
  return Dataset(std::make_shared<detail::StreamBatches>(std::move(stream), batching, process));
}

}  // namespace kd::data
