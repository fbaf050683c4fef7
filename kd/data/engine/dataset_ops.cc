// What can be made of any dataset: mapped, cut, kept, zipped.
#include <algorithm>
#include <mutex>

#include "kd/core/ops.h"
#include "kd/data/engine/batch.h"
#include "kd/data/engine/dataset.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"

namespace kd::data {

using konfig::Dict;
using konfig::Value;

namespace {

using Impl = std::shared_ptr<const DatasetImpl>;
using MapFn = std::function<Tree(Tree)>;

std::int64_t number_at(const Value& state, const char* name) {
  auto* dict = state.get_if<Dict>();
  auto* number = dict ? dict->find(name) : nullptr;
  if (!number || !number->is<std::int64_t>() || number->as<std::int64_t>() < 0) {
    throw Error(ErrorKind::value, "the state has no number '" + std::string(name) +
                                      "': it was saved by another kind of dataset");
  }
  return number->as<std::int64_t>();
}

const Value& part_at(const Value& state, const char* name) {
  auto* dict = state.get_if<Dict>();
  auto* part = dict ? dict->find(name) : nullptr;
  if (part) return *part;
  throw Error(ErrorKind::value, "the state has no '" + std::string(name) +
                                    "': it was saved by another kind of dataset");
}

// An iterator whose position is that of another one, which gives it its batches.
class OverIterator : public IteratorImpl {
 public:
  explicit OverIterator(std::unique_ptr<IteratorImpl> from) : from_(std::move(from)) {}
  Value state() const override { return from_->state(); }
  void restore(const Value& state) override { from_->restore(state); }
  std::vector<RecordId> records() const override { return from_->records(); }

 protected:
  std::unique_ptr<IteratorImpl> from_;
};

class MappedIterator final : public OverIterator {
 public:
  MappedIterator(std::unique_ptr<IteratorImpl> from, MapFn fn)
      : OverIterator(std::move(from)), fn_(std::move(fn)) {}
  std::optional<Tree> next() override {
    auto batch = from_->next();
    if (batch) batch = fn_(std::move(*batch));
    return batch;
  }

 private:
  MapFn fn_;
};

class MappedDataset final : public DatasetImpl {
 public:
  MappedDataset(Impl from, MapFn fn) : from_(std::move(from)), fn_(std::move(fn)) {}
  std::unique_ptr<IteratorImpl> iterate() const override {
    return std::make_unique<MappedIterator>(from_->iterate(), fn_);
  }
  std::optional<std::int64_t> size() const override { return from_->size(); }
  Tree at(std::int64_t i) const override { return fn_(from_->at(i)); }

 private:
  Impl from_;
  MapFn fn_;
};

using FilterFn = std::function<bool(const Tree&)>;

class FilteredIterator final : public OverIterator {
 public:
  FilteredIterator(std::unique_ptr<IteratorImpl> from, FilterFn fn)
      : OverIterator(std::move(from)), fn_(std::move(fn)) {}
  std::optional<Tree> next() override {
    auto batch = from_->next();
    while (batch && !fn_(*batch)) batch = from_->next();
    return batch;
  }

 private:
  FilterFn fn_;
};

class FilteredDataset final : public DatasetImpl {
 public:
  FilteredDataset(Impl from, FilterFn fn) : from_(std::move(from)), fn_(std::move(fn)) {}
  std::unique_ptr<IteratorImpl> iterate() const override {
    return std::make_unique<FilteredIterator>(from_->iterate(), fn_);
  }
  std::optional<std::int64_t> size() const override { return from_->size(); }
  Tree element_spec() const override { return from_->element_spec(); }

 private:
  Impl from_;
  FilterFn fn_;
};

class TakenIterator final : public IteratorImpl {
 public:
  TakenIterator(std::unique_ptr<IteratorImpl> from, std::int64_t n)
      : from_(std::move(from)), n_(n) {}
  std::optional<Tree> next() override {
    if (taken_ >= n_) return {};
    auto batch = from_->next();
    if (batch) ++taken_;
    return batch;
  }
  Value state() const override { return Dict{{"taken", taken_}, {"of", from_->state()}}; }
  void restore(const Value& state) override {
    const std::int64_t taken = number_at(state, "taken");
    from_->restore(part_at(state, "of"));
    taken_ = taken;
  }
  std::vector<RecordId> records() const override { return from_->records(); }

 private:
  std::unique_ptr<IteratorImpl> from_;
  std::int64_t n_, taken_ = 0;
};

class TakenDataset final : public DatasetImpl {
 public:
  TakenDataset(Impl from, std::int64_t n) : from_(std::move(from)), n_(n) {
    if (n < 0) throw Error(ErrorKind::value, "take: " + std::to_string(n) + " batches");
  }
  std::unique_ptr<IteratorImpl> iterate() const override {
    return std::make_unique<TakenIterator>(from_->iterate(), n_);
  }
  std::optional<std::int64_t> size() const override {
    return std::min(from_->size().value_or(n_), n_);
  }
  Tree element_spec() const override { return from_->element_spec(); }
  Tree at(std::int64_t i) const override { return from_->at(i); }

 private:
  Impl from_;
  std::int64_t n_;
};

// The batches read so far, filled by whichever iterator comes first.
struct Kept {
  std::mutex mutex;
  std::vector<Tree> batches;
  std::vector<std::vector<RecordId>> records;  // of each
  std::unique_ptr<IteratorImpl> from;
  bool complete = false;

  std::optional<Tree> at(std::size_t i) {
    std::lock_guard lock(mutex);
    while (i >= batches.size() && !complete) {
      auto batch = from->next();
      complete = !batch;
      if (!batch) break;
      batches.push_back(std::move(*batch));
      records.push_back(from->records());
    }
    if (i < batches.size()) return batches[i];
    from.reset();
    return {};
  }
  std::vector<RecordId> records_of(std::size_t i) {
    std::lock_guard lock(mutex);
    return i < records.size() ? records[i] : std::vector<RecordId>{};
  }
};

class KeptIterator final : public IteratorImpl {
 public:
  explicit KeptIterator(std::shared_ptr<Kept> kept) : kept_(std::move(kept)) {}
  std::optional<Tree> next() override {
    auto batch = kept_->at(static_cast<std::size_t>(next_));
    if (batch) ++next_;
    return batch;
  }
  Value state() const override { return Dict{{"next_batch", next_}}; }
  void restore(const Value& state) override { next_ = number_at(state, "next_batch"); }
  std::vector<RecordId> records() const override {
    return next_ > 0 ? kept_->records_of(static_cast<std::size_t>(next_ - 1))
                     : std::vector<RecordId>{};
  }

 private:
  std::shared_ptr<Kept> kept_;
  std::int64_t next_ = 0;
};

class KeptDataset final : public DatasetImpl {
 public:
  explicit KeptDataset(Impl from) : from_(std::move(from)), kept_(std::make_shared<Kept>()) {
    if (!from_->size()) {
      throw Error(ErrorKind::value,
                  "cache: the dataset goes on for ever; set num_epochs or take(n)");
    }
    kept_->from = from_->iterate();
  }
  std::unique_ptr<IteratorImpl> iterate() const override {
    return std::make_unique<KeptIterator>(kept_);
  }
  std::optional<std::int64_t> size() const override { return from_->size(); }
  Tree element_spec() const override { return from_->element_spec(); }
  Tree at(std::int64_t i) const override { return from_->at(i); }

 private:
  Impl from_;
  std::shared_ptr<Kept> kept_;
};

class ZippedIterator final : public IteratorImpl {
 public:
  ZippedIterator(std::vector<std::string> names, std::vector<std::unique_ptr<IteratorImpl>> parts)
      : names_(std::move(names)), parts_(std::move(parts)) {}
  std::optional<Tree> next() override {
    Tree out = Tree::dict();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      auto batch = parts_[i]->next();
      if (!batch) return {};
      out[names_[i]] = std::move(*batch);
    }
    return out;
  }
  Value state() const override {
    Dict out;
    for (std::size_t i = 0; i < parts_.size(); ++i) out.set(names_[i], parts_[i]->state());
    return out;
  }
  void restore(const Value& state) override {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      parts_[i]->restore(part_at(state, names_[i].c_str()));
    }
  }
  // Those of each part, its sources counted behind those of the parts before.
  std::vector<RecordId> records() const override {
    std::vector<RecordId> out;
    std::int64_t first = 0;
    for (auto& part : parts_) {
      std::int64_t last = first;
      for (RecordId id : part->records()) {
        id.source += first;
        last = std::max(last, id.source);
        out.push_back(id);
      }
      first = last + 1;
    }
    return out;
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<IteratorImpl>> parts_;
};

class ZippedDataset final : public DatasetImpl {
 public:
  explicit ZippedDataset(std::vector<std::pair<std::string, Dataset>> parts)
      : parts_(std::move(parts)) {
    if (parts_.empty()) throw Error(ErrorKind::value, "zip: at least one dataset is needed");
  }
  std::unique_ptr<IteratorImpl> iterate() const override {
    std::vector<std::string> names;
    std::vector<std::unique_ptr<IteratorImpl>> iterators;
    for (auto& [name, part] : parts_) {
      names.push_back(name);
      iterators.push_back(part.impl()->iterate());
    }
    return std::make_unique<ZippedIterator>(std::move(names), std::move(iterators));
  }
  std::optional<std::int64_t> size() const override {
    std::optional<std::int64_t> out;
    for (auto& [name, part] : parts_) {
      if (auto size = part.impl()->size()) out = std::min(out.value_or(*size), *size);
    }
    return out;
  }
  Tree element_spec() const override {
    return each([](const DatasetImpl& part) { return part.element_spec(); });
  }
  Tree at(std::int64_t i) const override {
    return each([i](const DatasetImpl& part) { return part.at(i); });
  }

 private:
  template <class Fn>
  Tree each(const Fn& fn) const {
    Tree out = Tree::dict();
    for (auto& [name, part] : parts_) out[name] = fn(*part.impl());
    return out;
  }
  std::vector<std::pair<std::string, Dataset>> parts_;
};

// Starts over instead of going on.
class ForgetfulIterator final : public IteratorImpl {
 public:
  explicit ForgetfulIterator(Impl dataset)
      : dataset_(std::move(dataset)), from_(dataset_->iterate()) {}
  std::optional<Tree> next() override { return from_->next(); }
  Value state() const override { return Dict(); }
  void restore(const Value&) override { from_ = dataset_->iterate(); }
  std::vector<RecordId> records() const override { return from_->records(); }

 private:
  Impl dataset_;
  std::unique_ptr<IteratorImpl> from_;
};

class ForgetfulDataset final : public DatasetImpl {
 public:
  explicit ForgetfulDataset(Impl from) : from_(std::move(from)) {}
  std::unique_ptr<IteratorImpl> iterate() const override {
    return std::make_unique<ForgetfulIterator>(from_);
  }
  std::optional<std::int64_t> size() const override { return from_->size(); }
  Tree element_spec() const override { return from_->element_spec(); }
  Tree at(std::int64_t i) const override { return from_->at(i); }

 private:
  Impl from_;
};

Tensor narrowed(const Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kDouble:
      return tensor.to(at::kFloat);
    case at::kLong:
      return tensor.to(at::kInt);
    case at::kUInt64:
      return tensor.to(at::kUInt32);
    default:
      return tensor;
  }
}

}  // namespace

Dataset Dataset::filter(std::function<bool(const Tree&)> fn) const {
  return Dataset(std::make_shared<FilteredDataset>(impl_, std::move(fn)));
}
Dataset Dataset::map(std::function<Tree(Tree)> fn) const {
  return Dataset(std::make_shared<MappedDataset>(impl_, std::move(fn)));
}
Dataset Dataset::take(std::int64_t n) const {
  return Dataset(std::make_shared<TakenDataset>(impl_, n));
}
Dataset Dataset::cache() const { return Dataset(std::make_shared<KeptDataset>(impl_)); }
Dataset Dataset::device_put() const {
  return map([](Tree batch) { return kd::map(batch, narrowed); });
}
Dataset not_checkpointed(Dataset dataset) {
  return Dataset(std::make_shared<ForgetfulDataset>(dataset.impl()));
}
Dataset zip(std::vector<std::pair<std::string, Dataset>> datasets) {
  return Dataset(std::make_shared<ZippedDataset>(std::move(datasets)));
}

}  // namespace kd::data
