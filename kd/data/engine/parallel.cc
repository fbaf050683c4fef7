// Batches made by several threads. What comes out does not depend on their number.
#include <algorithm>

#include "kd/data/batched_impl.h"
#include "kd/data/engine/workers_impl.h"

namespace kd::data::detail {

using konfig::Value;

namespace {

struct Range {
  std::int64_t begin, end;
};

// More threads than cores only get into each other's way.
std::size_t thread_count(int wanted) {
  const auto cores = std::max(std::thread::hardware_concurrency(), 1u);
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::max(wanted, 1)), 1, cores);
}

std::size_t capacity_of(const StreamBatches& from, std::size_t threads) {
  const auto waiting = static_cast<std::size_t>(std::max(from.batching().buffer_size, 1));
  return threads * (1 + waiting);
}

// One batch is one piece of work.
class ParallelIterator final : public IteratorImpl {
 public:
  explicit ParallelIterator(std::shared_ptr<const StreamBatches> from) : from_(std::move(from)) {}

  std::optional<Tree> next() override {
    if (!workers_) start();
    try {
      auto batch = workers_->next();
      if (batch) {
        begin_ = next_;
        next_ = from_->end_of(next_);
      }
      return batch;
    } catch (...) {
      workers_.reset();  // asked again, it fails again: no batch is left out
      throw;
    }
  }
  Value state() const override { return position_state(next_); }
  void restore(const Value& state) override {
    const std::int64_t next = position_of(state);
    workers_.reset();
    begin_ = next_ = next;
  }
  std::vector<RecordId> records() const override { return origins(*from_, begin_, next_); }

 private:
  void start() {
    issued_ = next_;
    const std::size_t threads = thread_count(from_->batching().num_workers);
    workers_ = std::make_unique<Workers<Range, Tree>>(
        threads, capacity_of(*from_, threads),
        [this]() -> std::optional<Range> {
          const Range range{issued_, from_->end_of(issued_)};
          if (range.begin == range.end) return {};
          issued_ = range.end;
          return range;
        },
        [from = from_](const Range& range) { return from->make(range.begin, range.end); });
  }

  std::shared_ptr<const StreamBatches> from_;
  std::int64_t begin_ = 0, next_ = 0, issued_ = 0;
  std::unique_ptr<Workers<Range, Tree>> workers_;
};

// A record and its position.
struct Placed {
  std::int64_t position;
  Tree record;
};
struct Piece {
  std::int64_t end;
  std::vector<Placed> records;
};

// Where records may be missing, and where there are no batches: pieces of the stream, put together
// by the caller.
class ParallelRecords final : public IteratorImpl {
 public:
  explicit ParallelRecords(std::shared_ptr<const StreamBatches> from) : from_(std::move(from)) {}

  std::optional<Tree> next() override {
    if (!workers_) start();
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(from_->batch_size(), 1));
    while (waiting_.size() < wanted) {
      auto piece = next_piece();
      if (!piece) break;
      for (Placed& each : piece->records) {
        last_ = each.position;
        waiting_.push_back(std::move(each));
      }
      scanned_ = piece->end;
    }
    const bool full = waiting_.size() >= wanted;
    if (waiting_.empty() || (!full && from_->remainder() == Remainder::drop)) return {};
    std::vector<Tree> records;
    const std::size_t n = std::min(wanted, waiting_.size());
    // A last batch that is not full has looked at everything.
    next_ = full ? waiting_[n - 1].position + 1 : scanned_;
    positions_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      positions_.push_back(waiting_[i].position);
      records.push_back(std::move(waiting_[i].record));
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(n));
    return from_->batch_size() == 0 ? std::move(records[0]) : from_->make(records);
  }
  Value state() const override { return position_state(next_); }
  void restore(const Value& state) override {
    const std::int64_t next = position_of(state);
    stop();
    positions_.clear();
    next_ = next;
  }
  std::vector<RecordId> records() const override { return origins(*from_, positions_); }

 private:
  void stop() {
    workers_.reset();
    waiting_.clear();
  }

  std::optional<Piece> next_piece() {
    try {
      from_->check_progress(scanned_ - last_);
      return workers_->next();
    } catch (...) {
      stop();  // asked again, it fails again: no record is left out
      throw;
    }
  }

  void start() {
    constexpr std::int64_t kLeast = 16, kMost = 256;
    issued_ = scanned_ = last_ = next_;
    const std::int64_t length = std::clamp(from_->batch_size(), kLeast, kMost);
    const std::size_t threads = thread_count(from_->batching().num_workers);
    workers_ = std::make_unique<Workers<Range, Piece>>(
        threads, capacity_of(*from_, threads),
        [this, length]() -> std::optional<Range> {
          const std::int64_t size = from_->stream_size();
          if (issued_ >= size) return {};
          const Range range{issued_, size - issued_ < length ? size : issued_ + length};
          issued_ = range.end;
          return range;
        },
        [from = from_](const Range& range) {
          Piece piece{range.end, {}};
          for (std::int64_t i = range.begin; i < range.end; ++i) {
            if (auto record = from->record(i)) piece.records.push_back({i, std::move(*record)});
          }
          return piece;
        });
  }

  std::shared_ptr<const StreamBatches> from_;
  std::int64_t next_ = 0, issued_ = 0, scanned_ = 0, last_ = 0;
  std::deque<Placed> waiting_;
  std::vector<std::int64_t> positions_;  // of the last batch
  std::unique_ptr<Workers<Range, Piece>> workers_;
};

}  // namespace

std::unique_ptr<IteratorImpl> parallel_iterator(std::shared_ptr<const StreamBatches> from) {
  if (from->has_filter() || from->batch_size() == 0) {
    return std::make_unique<ParallelRecords>(std::move(from));
  }
  return std::make_unique<ParallelIterator>(std::move(from));
}

}  // namespace kd::data::detail
