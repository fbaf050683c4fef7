// Datasets pass by pass.
#include "kd/problems/passes.h"

#include <ATen/ops/upsample_bilinear2d.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include "kd/data/engine/batch.h"
#include "kd/data/engine/dataset.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/engine/records.h"
#include "kd/data/engine/stream.h"
#include "kd/data/engine/tfds_names.h"
#include "konfig/error.h"

namespace kd::problems {

using data::Dataset;
using data::DatasetImpl;
using data::RecordId;
using data::RecordsPtr;
using data::Stream;
using data::StreamPtr;
using konfig::Error;
using konfig::ErrorKind;

namespace {

// Reads each record once.
class CachedRecords final : public data::Records {
 public:
  explicit CachedRecords(RecordsPtr from)
      : from_(std::move(from)), kept_(static_cast<std::size_t>(from_->size())) {}
  std::int64_t size() const override { return from_->size(); }
  Tree read(std::int64_t i) const override {
    Kept& kept = kept_[static_cast<std::size_t>(i)];
    std::call_once(kept.once, [&] { kept.record = from_->read(i); });
    return kept.record;
  }

 private:
  struct Kept {
    std::once_flag once;
    Tree record;
  };
  RecordsPtr from_;
  mutable std::vector<Kept> kept_;
};

// Another stream in batches: a record is a batch. They end with each pass, whose last one may be
// smaller, or span passes.
class BatchStream final : public Stream {
 public:
  BatchStream(StreamPtr from, std::int64_t batch_size, bool spans)
      : from_(std::move(from)), batch_size_(batch_size), spans_(spans) {}
  // Of batches that span passes as many as take whole passes.
  std::int64_t size() const override {
    const std::int64_t records = from_->size();
    if (spans_) return records / std::gcd(records, batch_size_);
    return (records + batch_size_ - 1) / batch_size_;
  }
  std::optional<Tree> at(std::int64_t position) const override {
    return from_->batch(positions(position));
  }
  RecordId origin(std::int64_t position) const override {
    return from_->origin(positions(position).front());
  }
  std::vector<const Stream*> parents() const override { return {from_.get()}; }

 private:
  std::vector<std::int64_t> positions(std::int64_t batch) const {
    std::int64_t begin = batch * batch_size_, count = batch_size_;
    if (!spans_) {
      const std::int64_t first = batch % size() * batch_size_;
      begin = batch / size() * from_->size() + first;
      count = std::min(batch_size_, from_->size() - first);
    }
    std::vector<std::int64_t> out(static_cast<std::size_t>(count));
    std::iota(out.begin(), out.end(), begin);
    return out;
  }
  StreamPtr from_;
  std::int64_t batch_size_;
  bool spans_;
};

// Knows where its passes end.
class InPasses final : public DatasetImpl {
 public:
  InPasses(Dataset from, std::optional<std::int64_t> pass_size)
      : from_(std::move(from)), pass_size_(pass_size) {}
  std::unique_ptr<data::IteratorImpl> iterate() const override { return from_.impl()->iterate(); }
  std::optional<std::int64_t> size() const override { return from_.impl()->size(); }
  std::optional<std::int64_t> pass_size() const override { return pass_size_; }
  Tree element_spec() const override { return from_.element_spec(); }
  Tree at(std::int64_t i) const override { return from_.impl()->at(i); }

 private:
  Dataset from_;
  std::optional<std::int64_t> pass_size_;
};

// As tf.image.resize does without antialiasing: bilinear, between the centres of pixels.
Tensor resized(const Tensor& image, const std::vector<int>& size) {
  const Tensor planes = image.to(at::kFloat).permute({0, 3, 1, 2});
  return at::upsample_bilinear2d(planes, {size[0], size[1]}, /*align_corners=*/false)
      .permute({0, 2, 3, 1})
      .contiguous();
}

[[noreturn]] void fail_element(const std::string& element, const Tree& record) {
  std::string names;
  for (std::size_t i = 0; i < record.size(); ++i) {
    names += (i > 0 ? ", " : "") + record.name(i);
  }
  throw Error(ErrorKind::key, "the dataset has no '" + element + "'; its records have " + names);
}

// The elements that are wanted, the image as it is wanted.
Tree prepared(const Passes& options, const Tree& batch) {
  Tree out = Tree::dict();
  if (options.elements.empty()) out = batch;
  for (const std::string& name : options.elements) {
    const Tree* found = batch.find(name);
    if (!found) fail_element(name, batch);
    out[name] = *found;
  }
  if (Tree* found = out.find("image")) {
    Tensor& image = found->tensor();
    if (!options.size.empty()) image = resized(image, options.size);
    if (options.dtype) image = image.to(scalar_type(*options.dtype));
  }
  return out;
}

RecordsPtr records_of(const Passes& options) {
  if (options.source) return data::open(options.source);
  const data::NamedDataset wanted{.name = options.name, .split = options.split};
  if (auto found = data::find_named(wanted)) return found;
  throw Error(
      ErrorKind::value, "name",
      data::missing_text(wanted) + "; let the variable TFDS_DATA_DIR name the folder that has it");
}

void check(const Passes& options) {
  if (*options.batch_size < 1) {
    throw Error(ErrorKind::value, "batch_size",
                "expected a whole number above 0, got " + std::to_string(*options.batch_size));
  }
  const auto& size = options.size;
  if (!size.empty() && (size.size() != 2 || size[0] < 1 || size[1] < 1)) {
    throw Error(ErrorKind::value, "size", "expected height and width, or nothing");
  }
}

}  // namespace

Dataset Passes::open(const data::Process& process) const {
  check(*this);
  RecordsPtr records = records_of(*this);
  if (records->size() == 0) throw Error(ErrorKind::value, "the dataset has no records");
  const auto key = data::root_key(data::seed_of(seed));
  if (cache) records = std::make_shared<CachedRecords>(std::move(records));
  StreamPtr stream = data::ordered(records, key, /*shuffle=*/false, process);
  if (take) stream = data::slice(std::move(stream), {.start = 0, .stop = *take, .step = {}});
  if (shuffle) stream = data::shuffled(std::move(stream), data::shuffle_seed(key));
  auto batches = std::make_shared<BatchStream>(stream, *batch_size, repeat);
  const auto pass = repeat ? std::nullopt : std::optional(batches->size());
  auto prepare = [options = Passes(*this)](Tree batch) { return prepared(options, batch); };
  const StreamPtr prepared_batches =
      data::with_step(std::move(batches), {.name = "kd::problems::Passes", .map = prepare});
  const data::Batching in_order{.num_workers = data::kAllCores, .buffer_size = 2};
  return Dataset(std::make_shared<InPasses>(data::batched(prepared_batches, in_order), pass));
}

}  // namespace kd::problems
