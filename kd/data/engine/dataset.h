// Dataset: batches, one after the other.
//
//   Dataset ds = data::open(cfg.train_ds);
//   for (const Tree& batch : ds.take(10)) use(batch["image"].tensor());
//
//   Iterator it = ds.iterate();
//   while (auto batch = it.next()) ...
//   std::string state = it.state();      // where it stands, as JSON
//   later.restore(state);                // continues there, with any number of workers
//   it.records();                        // which records the last batch was made of
//
// A dataset is a value: copies are cheap and independent, iterators of one never disturb another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kd/core/interfaces.h"
#include "kd/core/tree.h"
#include "konfig/value.h"

namespace kd::data {

// Which of the processes of a job this is. Each reads its own part of the data.
struct Process {
  int index = 0;
  int count = 1;
};

// Where a record comes from: its number in its source. The sources of a mixture are counted in
// order.
struct RecordId {
  std::int64_t source = 0;
  std::int64_t record = 0;
  friend bool operator==(const RecordId&, const RecordId&) = default;
};

// What an iterator and a dataset are made of; for authors of pipelines.
class IteratorImpl {
 public:
  virtual ~IteratorImpl() = default;
  virtual std::optional<Tree> next() = 0;  // None at the end, and from then on
  virtual konfig::Value state() const = 0;
  virtual void restore(const konfig::Value& state) = 0;
  // Of the batch that `next` gave last; none where that is not known.
  virtual std::vector<RecordId> records() const { return {}; }
};
class DatasetImpl {
 public:
  virtual ~DatasetImpl() = default;
  virtual std::unique_ptr<IteratorImpl> iterate() const = 0;
  virtual std::optional<std::int64_t> size() const = 0;  // None: for ever
  // Batches of one pass over the data, where no batch spans two; None: some do, or it is not known.
  virtual std::optional<std::int64_t> pass_size() const { return {}; }
  virtual Tree element_spec() const;      // by reading one batch
  virtual Tree at(std::int64_t i) const;  // an Error, unless overridden
};

class Iterator {
 public:
  explicit Iterator(std::unique_ptr<IteratorImpl> impl) : impl_(std::move(impl)) {}
  // None at the end.
  std::optional<Tree> next() { return impl_->next(); }
  // The exact position, as JSON text or as a small dict; `restore` takes either, of an iterator of
  // the same dataset with any number of workers.
  std::string state() const;
  konfig::Value state_value() const { return impl_->state(); }
  void restore(const konfig::Value& state);
  // The records of the last batch, in order: for reports, and for finding a bad one.
  std::vector<RecordId> records() const { return impl_->records(); }

 private:
  std::unique_ptr<IteratorImpl> impl_;
};

class Dataset {
 public:
  explicit Dataset(std::shared_ptr<const DatasetImpl> impl) : impl_(std::move(impl)) {}

  Iterator iterate() const { return Iterator(impl_->iterate()); }
  // Batches; an Error when they never end.
  std::int64_t size() const;
  bool is_infinite() const { return !impl_->size(); }
  // A batch without values, from as little reading as possible.
  Tree element_spec() const { return impl_->element_spec(); }
  // Any batch of a pipeline without filters.
  Tree operator[](std::int64_t i) const { return impl_->at(i); }

  Dataset map(std::function<Tree(Tree)> fn) const;
  // Only the batches for which `fn` is true; size() is how many there are at most.
  Dataset filter(std::function<bool(const Tree&)> fn) const;
  Dataset take(std::int64_t n) const;
  // Keeps all batches in memory once they were read.
  Dataset cache() const;
  // Reads ahead on a thread of its own, up to this many batches.
  Dataset prefetch(std::int64_t buffer_size) const;
  // Tensors as the device of the model wants them: 64-bit numbers become 32-bit ones, as JAX does.
  Dataset device_put() const;

  // For loops.
  struct End {};
  class Cursor {
   public:
    explicit Cursor(Iterator it) : it_(std::move(it)), batch_(it_.next()) {}
    const Tree& operator*() const { return *batch_; }
    const Tree* operator->() const { return &*batch_; }
    Cursor& operator++() {
      batch_.reset();  // its memory may serve the next one
      batch_ = it_.next();
      return *this;
    }
    bool operator==(End) const { return !batch_; }

   private:
    Iterator it_;
    std::optional<Tree> batch_;
  };
  Cursor begin() const { return Cursor(iterate()); }
  End end() const { return {}; }

  const std::shared_ptr<const DatasetImpl>& impl() const { return impl_; }

 private:
  std::shared_ptr<const DatasetImpl> impl_;
};

// The dataset that a config describes.
Dataset open(const Poly<Pipeline>& pipeline, const Process& process = {});

// Batch by batch, side by side: {"a": batch of a, "b": batch of b}. As long as the shortest.
Dataset zip(std::vector<std::pair<std::string, Dataset>> datasets);

// The state of one process in a folder: process_0-of-4.json.
void save_state(const Iterator& it, const std::string& folder, const Process& process = {});
void restore_state(Iterator& it, const std::string& folder, const Process& process = {});

}  // namespace kd::data
