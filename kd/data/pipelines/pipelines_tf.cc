// Pipelines under the names of kd.data.tf.
#include "kd/data/pipelines/pipelines_tf.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "kd/data/engine/batch.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"
#include "konfig/config_dict.h"

namespace kd::data::tf {

using konfig::Dict;
using konfig::Value;

namespace {

// Batches as tf.data makes them; threads as many as there are cores.
template <class T>
Dataset batches_of(const T& self, const Process& process) {
  if (self.prefetch_size && *self.prefetch_size < -1) {
    throw Error(ErrorKind::value, "prefetch_size",
                "expected a whole number of 0 or more, or -1 for as many as fit, got " +
                    std::to_string(*self.prefetch_size));
  }
  const bool ahead = self.prefetch_size != 0;
  Dataset out = batched(self.stream(root_key(seed_of(self.seed)), process),
                        {.num_epochs = 1,
                         .batch_size = self.batch_size,
                         .remainder = self.batch_drop_remainder ? Remainder::drop : Remainder::keep,
                         .num_workers = ahead ? kAllCores : 0,
                         .buffer_size = ahead && self.prefetch_size > 0 ? *self.prefetch_size : 1},
                        process);
  return self.checkpoint.value_or(true) ? out : not_checkpointed(std::move(out));
}

// The share of a process is part of the shuffled order, unlike in kd.data.py.
struct Share {
  Process process;
  bool drop_remainder = true;
};
StreamPtr tf_share(StreamPtr out, const Share& share) {
  const std::int64_t n = out->size(), count = share.process.count;
  if (count == 1) return out;
  return slice(std::move(out), {.start = share.process.index,
                                .stop = share.drop_remainder ? n - n % count : n,
                                .step = count});
}

// How tfds reads files. What changes the examples or their order would go unnoticed if it were
// dropped.
void check_read_config(const Value& config) {
  if (config.is_none()) return;
  static const std::vector<std::string_view> speed = {"try_autocache",
                                                      "skip_prefetch",
                                                      "num_parallel_calls_for_decode",
                                                      "assert_cardinality",
                                                      "enable_ordering_guard",
                                                      "num_parallel_calls_for_interleave_files",
                                                      "options",
                                                      "override_buffer_size"};
  auto* node = config.get_if<konfig::ConfigDict>();
  if (!node) {
    throw Error(ErrorKind::type, "read_config",
                "expected tfds.ReadConfig(...) or None, got " + config.repr());
  }
  for (auto& [key, value] : node->items()) {
    const std::string name = key.is<std::string>() ? key.as<std::string>() : key.repr();
    if (name == konfig::kQualname || std::ranges::find(speed, name) != speed.end()) continue;
    throw Error(
        ErrorKind::unsupported, "read_config." + name,
        "not known here: examples come in the order of the files, or shuffled by `seed` and "
        "shuffle_buffer_size, with the features that were stored; leave it out");
  }
}

StreamPtr order_of(const Tfds&, StreamPtr out, std::uint32_t seed) {
  return shuffled(std::move(out), seed);
}
StreamPtr order_of(const TfdsLegacy& self, StreamPtr out, std::uint32_t seed) {
  if (!self.shuffle_buffer_size) return shuffled(std::move(out), seed);
  return buffer_shuffled(std::move(out), *self.shuffle_buffer_size, seed);
}

template <class T>
StreamPtr tfds_stream(const T& self, const std::optional<std::string>& substitute,
                      const random::Key& key, const Share& share) {
  const py::Tfds named{.name = self.name,
                       .split = self.split,
                       .shuffle = self.shuffle,
                       .seed = 0,
                       .data_dir = self.data_dir,
                       .decoders = self.decoders,
                       .substitute = substitute};
  StreamPtr out = seeded(data::stream(named.records()), random::as_seed(key));
  if (self.shuffle) out = order_of(self, std::move(out), shuffle_seed(key));
  out = tf_share(std::move(out), share);
  return repeated(with_transforms(std::move(out), self.transforms, Backend::tf), self.num_epochs);
}

// A dataset inside another one, with its own epochs.
StreamPtr inner_stream(const Poly<Pipeline>& dataset, const std::string& place,
                       const random::Key& key, const Process& process) {
  const auto& ops = ops_of(dataset);
  if (!ops.stream) {
    throw Error(ErrorKind::value, place,
                std::string(dataset.type()->name) + " cannot be part of another dataset");
  }
  try {
    const void* self = dataset.object().get();
    StreamPtr out = ops.stream(self, key, process);
    return ops.num_epochs ? repeated(std::move(out), ops.num_epochs(self)) : out;
  } catch (const Error& e) {
    throw e.within(place);
  }
}

}  // namespace

StreamPtr Tfds::stream(const random::Key& key, const Process& process) const {
  return tfds_stream(*this, substitute, key, {process, shard_drop_remainder});
}
Dataset Tfds::open(const Process& process) const { return batches_of(*this, process); }

StreamPtr TfdsLegacy::stream(const random::Key& key, const Process& process) const {
  check_read_config(read_config);
  return tfds_stream(*this, {}, key, {process, /*drop_remainder=*/false});
}
Dataset TfdsLegacy::open(const Process& process) const { return batches_of(*this, process); }

StreamPtr SampleFromDatasets::stream(const random::Key& key, const Process& process) const {
  if (rerandomize_each_iteration) {
    throw Error(ErrorKind::unsupported, "rerandomize_each_iteration",
                "iterators repeat exactly, so that a run can be resumed; leave it out, and set "
                "`seed` for another order");
  }
  std::vector<StreamPtr> parts;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    parts.push_back(inner_stream(datasets[i], "datasets[" + std::to_string(i) + "]",
                                 random::fold_in(key, i), process));
  }
  const auto seed = random::as_seed(random::fold_in(key, "sample_from_datasets"));
  StreamPtr out = sampled(std::move(parts), weights, seed, stop_on_empty_dataset);
  return with_transforms(std::move(out), transforms, Backend::tf);
}
Dataset SampleFromDatasets::open(const Process& process) const {
  return batches_of(*this, process);
}

StreamPtr ZipDatasets::stream(const random::Key& key, const Process& process) const {
  std::vector<std::pair<std::string, StreamPtr>> parts;
  for (auto& [name, dataset] : datasets) {
    const auto part_key = random::fold_in(key, parts.size());
    parts.emplace_back(name, inner_stream(dataset, "datasets." + name, part_key, process));
  }
  return with_transforms(zipped(std::move(parts)), transforms, Backend::tf);
}
Dataset ZipDatasets::open(const Process& process) const { return batches_of(*this, process); }

namespace {

// One batch of zeros.
class ZeroBatch final : public DatasetImpl {
 public:
  explicit ZeroBatch(Tree batch) : batch_(std::move(batch)) {}
  std::unique_ptr<IteratorImpl> iterate() const override { return std::make_unique<Once>(batch_); }
  std::optional<std::int64_t> size() const override { return 1; }
  Tree at(std::int64_t i) const override {
    if (i != 0) throw Error(ErrorKind::index, "there is one batch, not " + std::to_string(i + 1));
    return batch_;
  }

 private:
  class Once final : public IteratorImpl {
   public:
    explicit Once(Tree batch) : batch_(std::move(batch)) {}
    std::optional<Tree> next() override {
      if (done_) return {};
      done_ = true;
      return batch_;
    }
    Value state() const override { return Dict{{"next_batch", std::int64_t{done_}}}; }
    void restore(const Value& state) override {
      auto* dict = state.get_if<Dict>();
      auto* next = dict ? dict->find("next_batch") : nullptr;
      done_ = next && next->is<std::int64_t>() && next->as<std::int64_t>() > 0;
    }

   private:
    Tree batch_;
    bool done_ = false;
  };
  Tree batch_;
};

// "camera.pose" is an element of an element.
Tree& place_of(Tree& tree, std::string_view path) {
  const auto dot = path.find('.');
  Tree& child = tree[path.substr(0, dot)];
  return dot == path.npos ? child : place_of(child, path.substr(dot + 1));
}

}  // namespace

namespace {
constexpr std::int64_t kAnyBatch = 17;
}

Dataset ElementSpecDataset::open(const Process& process) const {
  if (batch_size) {
    throw Error(ErrorKind::value, "batch_size: the shapes have the batch in front already");
  }
  Tree batch = Tree::dict();
  for (auto& [name, element] : spec) {
    std::vector<std::int64_t> shape;
    for (const auto& size : element.shape) {
      // As the reference's first batch: sizes that nothing else is likely to have.
      shape.push_back(size.value_or(shape.empty() ? kAnyBatch : 1));
    }
    if (!shape.empty() && shape[0] % process.count == 0) shape[0] /= process.count;
    place_of(batch, name) = at::zeros(shape, scalar_type(element.dtype));
  }
  return Dataset(std::make_shared<ZeroBatch>(std::move(batch)));
}

}  // namespace kd::data::tf
