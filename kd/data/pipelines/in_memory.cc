// Batches of examples in memory, in numpy's order.
#include <algorithm>
#include <numeric>

#include "kd/data/batched_impl.h"
#include "kd/data/engine/batch.h"
#include "kd/data/formats.h"
#include "kd/data/order/generator.h"
#include "kd/io/errors.h"

namespace kd::data {

using konfig::Dict;
using konfig::Value;

namespace {

class InMemoryBatches final : public DatasetImpl,
                              public std::enable_shared_from_this<InMemoryBatches> {
 public:
  InMemoryBatches(Tree examples, const InMemoryOptions& options, const Process& process)
      : examples_(std::move(examples)),
        options_(options),
        process_(process),
        rows_(row_count(examples_)),
        host_batch_(detail::host_batch_size(options.batch_size, process)) {
    if (host_batch_ == 0)
      throw Error(ErrorKind::value, "batch_size: a batch has at least one example");
  }

  std::unique_ptr<IteratorImpl> iterate() const override;
  std::optional<std::int64_t> size() const override {
    if (!options_.num_epochs) return {};
    return per_epoch() * *options_.num_epochs;
  }
  std::optional<std::int64_t> pass_size() const override { return per_epoch(); }
  Tree element_spec() const override {
    if (per_epoch() == 0) throw Error(ErrorKind::value, "a batch has more examples than there are");
    const std::int64_t first = 0;
    Tree one = gather_rows(examples_, {&first, 1});
    return spec_of(pad_rows(one, host_batch_));
  }
  Tree at(std::int64_t i) const override {
    const auto batches = size();
    if (i < 0 || per_epoch() == 0 || (batches && i >= *batches)) {
      throw Error(ErrorKind::index, "there is no batch " + std::to_string(i));
    }
    return batch(i, order(i / per_epoch()));
  }

  std::int64_t per_epoch() const { return rows_ / options_.batch_size; }

  // Every process shuffles all, and takes its part of each batch.
  std::vector<std::int64_t> order(std::int64_t epoch) const {
    std::vector<std::int64_t> out(static_cast<std::size_t>(rows_));
    std::iota(out.begin(), out.end(), 0);
    if (options_.shuffle) {
      Generator({options_.seed, 0}, {0, 0, static_cast<std::uint64_t>(epoch), 0}).shuffle(out);
    }
    return out;
  }

  // The rows of the i-th batch.
  std::span<const std::int64_t> rows(std::int64_t i, std::span<const std::int64_t> order) const {
    const std::int64_t begin = i % per_epoch() * options_.batch_size + process_.index * host_batch_;
    return order.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(host_batch_));
  }
  Tree batch(std::int64_t i, std::span<const std::int64_t> order) const {
    return gather_rows(examples_, rows(i, order));
  }

 private:
  Tree examples_;
  InMemoryOptions options_;
  Process process_;
  std::int64_t rows_, host_batch_;
};

class InMemoryIterator final : public IteratorImpl {
 public:
  explicit InMemoryIterator(std::shared_ptr<const InMemoryBatches> from) : from_(std::move(from)) {}
  std::optional<Tree> next() override {
    const auto size = from_->size();
    if (from_->per_epoch() == 0 || (size && next_ >= *size)) return {};
    const std::int64_t epoch = next_ / from_->per_epoch();
    if (epoch != known_) {
      order_ = from_->order(epoch);
      known_ = epoch;
    }
    return from_->batch(next_++, order_);
  }
  Value state() const override { return Dict{{"next_batch", next_}}; }
  void restore(const Value& state) override {
    auto* dict = state.get_if<Dict>();
    auto* next = dict ? dict->find("next_batch") : nullptr;
    if (!next || !next->is<std::int64_t>() || next->as<std::int64_t>() < 0) {
      throw Error(
          ErrorKind::value,
          "the state has no position 'next_batch': it was saved by another kind of dataset");
    }
    next_ = next->as<std::int64_t>();
    known_ = -1;
  }
  std::vector<RecordId> records() const override {
    std::vector<RecordId> out;
    if (known_ < 0) return out;
    for (std::int64_t row : from_->rows(next_ - 1, order_)) out.push_back({0, row});
    return out;
  }

 private:
  std::shared_ptr<const InMemoryBatches> from_;
  std::int64_t next_ = 0, known_ = -1;
  std::vector<std::int64_t> order_;
};

std::unique_ptr<IteratorImpl> InMemoryBatches::iterate() const {
  return std::make_unique<InMemoryIterator>(shared_from_this());
}

Tree load_all(const Loader& loader) {
  if (auto* function = std::get_if<konfig::Callable<Tree()>>(&loader)) {
    if (!*function) throw Error(ErrorKind::required, "loader: a function or a source is needed");
    return (*function)();
  }
  const RecordsPtr records = open(std::get<Poly<Source>>(loader));
  std::vector<std::int64_t> ids(static_cast<std::size_t>(records->size()));
  std::iota(ids.begin(), ids.end(), 0);
  return records->gather(ids);
}

}  // namespace

Dataset in_memory_batches(Tree examples, const InMemoryOptions& options, const Process& process) {
  return Dataset(std::make_shared<InMemoryBatches>(std::move(examples), options, process));
}

Dataset InMemoryPipeline::open(const Process& process) const {
  if (!drop_remainder) {
    throw Error(ErrorKind::unsupported, "drop_remainder: only true is known, as in the reference");
  }
  if (!batch_size) throw Error(ErrorKind::required, "batch_size: the pipeline needs one");
  const std::int64_t chosen = seed_of(seed);
  if (chosen < 0) throw Error(ErrorKind::value, "seed: " + std::to_string(chosen) + " is negative");
  return in_memory_batches(load_all(loader),
                           {.batch_size = *batch_size,
                            .seed = static_cast<std::uint64_t>(chosen),
                            .shuffle = shuffle,
                            .num_epochs = num_epochs},
                           process);
}

}  // namespace kd::data
