// Reading ahead of any dataset, on one thread.
#include "kd/data/engine/dataset.h"
#include "kd/data/engine/workers_impl.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"

namespace kd::data {

using konfig::Value;

namespace {

// A batch, where its iterator stood behind it, and of which records it is.
struct Ahead {
  Tree batch;
  Value state;
  std::vector<RecordId> records;
};

class PrefetchIterator final : public IteratorImpl {
 public:
  PrefetchIterator(std::unique_ptr<IteratorImpl> from, std::size_t buffer_size)
      : from_(std::move(from)), buffer_size_(buffer_size), state_(from_->state()) {}

  std::optional<Tree> next() override {
    if (at_end_) return {};
    if (!worker_) start();
    try {
      // The worker never runs out of tickets: the end is a result like others.
      std::optional<Ahead> ahead = worker_->next().value();
      if (!ahead) {
        at_end_ = true;
        return {};
      }
      state_ = std::move(ahead->state);
      records_ = std::move(ahead->records);
      return std::move(ahead->batch);
    } catch (...) {
      restore(Value(state_));
      throw;
    }
  }
  Value state() const override { return state_; }
  void restore(const Value& state) override {
    worker_.reset();
    from_->restore(state);
    state_ = state;
    at_end_ = false;
  }
  std::vector<RecordId> records() const override { return records_; }

 private:
  struct Ticket {};
  using Worker = detail::Workers<Ticket, std::optional<Ahead>>;

  void start() {
    worker_ = std::make_unique<Worker>(
        1, buffer_size_, [] { return Ticket{}; },
        [this](const Ticket&) -> std::optional<Ahead> {
          auto batch = from_->next();
          if (!batch) return {};
          return Ahead{std::move(*batch), from_->state(), from_->records()};
        });
  }

  std::unique_ptr<IteratorImpl> from_;
  std::size_t buffer_size_;
  Value state_;
  std::vector<RecordId> records_;
  bool at_end_ = false;
  std::unique_ptr<Worker> worker_;
};

class PrefetchDataset final : public DatasetImpl {
 public:
  PrefetchDataset(std::shared_ptr<const DatasetImpl> from, std::int64_t buffer_size)
      : from_(std::move(from)), buffer_size_(buffer_size) {
    if (buffer_size < 1) {
      throw Error(ErrorKind::value,
                  "prefetch: a buffer of " + std::to_string(buffer_size) + " batches");
    }
  }
  std::unique_ptr<IteratorImpl> iterate() const override {
    return std::make_unique<PrefetchIterator>(from_->iterate(),
                                              static_cast<std::size_t>(buffer_size_));
  }
  std::optional<std::int64_t> size() const override { return from_->size(); }
  Tree element_spec() const override { return from_->element_spec(); }
  Tree at(std::int64_t i) const override { return from_->at(i); }

 private:
  std::shared_ptr<const DatasetImpl> from_;
  std::int64_t buffer_size_;
};

}  // namespace

Dataset Dataset::prefetch(std::int64_t buffer_size) const {
  return Dataset(std::make_shared<PrefetchDataset>(impl_, buffer_size));
}

}  // namespace kd::data
