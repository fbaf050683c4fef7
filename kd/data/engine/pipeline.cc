// Pipelines built from their parts.
#include "kd/data/engine/pipeline.h"

#include <atomic>
#include <random>

#include "kd/data/formats.h"
#include "kd/data/order/interleave.h"
#include "kd/data/transforms/transforms_py.h"
#include "kd/data/transforms/transforms_tf.h"
#include "kd/io/errors.h"

namespace kd::data {

Dataset open(const Poly<Pipeline>& pipeline, const Process& process) {
  if (process.count < 1 || process.index < 0 || process.index >= process.count) {
    throw Error(ErrorKind::value, "there is no process " + std::to_string(process.index) + " of " +
                                      std::to_string(process.count));
  }
  return ops_of(pipeline).open(pipeline.object().get(), process);
}

std::int64_t seed_of(const konfig::Inherit<int, "seed">& seed) {
  if (seed.has_value()) return *seed;
  return std::random_device{}() >> 1;
}

random::Key root_key(std::int64_t seed) { return random::fold_in(random::key(seed), "kmix"); }

std::uint32_t shuffle_seed(const random::Key& key) {
  return random::as_seed(random::fold_in(key, "shuffle"));
}

StreamPtr ordered(RecordsPtr records, const random::Key& key, bool shuffle,
                  const std::optional<Process>& share) {
  StreamPtr out = seeded(stream(std::move(records)), random::as_seed(key));
  if (share) out = slice(std::move(out), {.start = share->index, .stop = {}, .step = share->count});
  if (shuffle) out = shuffled(std::move(out), shuffle_seed(key));
  return out;
}

namespace {

// A transform of one back end's own, and what does the same in the other one.
template <class T>
void refuse(const Poly<Transform>& transform, std::string_view name, std::string_view pipelines,
            std::string_view instead) {
  if (!transform.holds<T>()) return;
  throw Error(ErrorKind::value, std::string(name) + " is not for pipelines of " +
                                    std::string(pipelines) + "; use " + std::string(instead));
}

void check_backend(const Poly<Transform>& transform, Backend backend) {
  if (backend == Backend::py) {
    refuse<tf::RandomCrop>(transform, "kd.data.tf.RandomCrop", "kd.data.py",
                           "kd.data.py.RandomCrop");
    refuse<tf::RandomFlipLeftRight>(transform, "kd.data.tf.RandomFlipLeftRight", "kd.data.py",
                                    "kd.data.py.RandomFlipLeftRight");
    refuse<tf::Resize>(transform, "kd.data.tf.Resize", "kd.data.py",
                       "kd.data.Resize(size=(height, width))");
  } else {
    refuse<py::RandomCrop>(transform, "kd.data.py.RandomCrop", "kd.data.tf",
                           "kd.data.tf.RandomCrop");
    refuse<py::RandomFlipLeftRight>(transform, "kd.data.py.RandomFlipLeftRight", "kd.data.tf",
                                    "kd.data.tf.RandomFlipLeftRight");
    refuse<py::SliceDataset>(transform, "kd.data.py.SliceDataset", "kd.data.tf",
                             "a part of the split, such as split='train[:100]'");
  }
}

}  // namespace

namespace {

// "[0]", or the name of a transform that has one.
std::string place_of(const Transforms& transforms, std::size_t i) {
  auto* named = std::get_if<Map<Poly<Transform>>>(&transforms);
  if (!named) return "[" + std::to_string(i) + "]";
  return std::next(named->begin(), static_cast<std::ptrdiff_t>(i))->first;
}

}  // namespace

StreamPtr with_transforms(StreamPtr stream, const Transforms& transforms, Backend backend) {
  const std::vector<Poly<Transform>> list = transforms.list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    try {
      check_backend(list[i], backend);
      stream = with_step(std::move(stream), bind(list[i], backend));
    } catch (const Error& e) {
      throw e.within(place_of(transforms, i)).within("transforms");
    }
  }
  return stream;
}

void detail::check_worker_init_fn(const konfig::Value& function) {
  if (function.is_none()) return;
  throw Error(ErrorKind::unsupported, "worker_init_fn",
              "expected None: threads of this program read the data, so there is no worker to "
              "prepare; do it when the program starts, or in a transform");
}

std::vector<StreamPtr> detail::streams_of(const std::vector<Poly<Pipeline>>& datasets,
                                          const random::Key& key, const Process& process) {
  std::vector<StreamPtr> out;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const auto& ops = ops_of(datasets[i]);
    const std::string step = "datasets[" + std::to_string(i) + "]";
    if (!ops.stream) {
      throw Error(ErrorKind::value, step,
                  std::string(datasets[i].type()->name) +
                      " cannot be part of a mixture; use one of kd::data::py");
    }
    try {
      out.push_back(ops.stream(datasets[i].object().get(), random::fold_in(key, i), process));
    } catch (const Error& e) {
      throw e.within(step);
    }
  }
  return out;
}

StreamPtr py::Mix::combine(std::vector<StreamPtr> streams) const {
  return mixed(std::move(streams), weights);
}

StreamPtr py::SelectFromDatasets::combine(std::vector<StreamPtr> streams) const {
  std::vector<Turn> turns;
  for (auto& [dataset, element] : *selection_map) {
    turns.push_back({static_cast<std::size_t>(dataset), element});
  }
  return selected(std::move(streams), std::move(turns));
}

RecordsPtr py::DataSource::records() const { return data::open(data_source); }

namespace {

std::atomic<std::int64_t> g_skipped = 0;

// Counts as the stream it stands for: random steps below keep their seeds.
class Skipping final : public Stream {
 public:
  explicit Skipping(StreamPtr from) : from_(std::move(from)) {}
  std::int64_t size() const override { return from_->size(); }
  bool has_filter() const override { return true; }
  std::optional<Tree> at(std::int64_t position) const override {
    try {
      return from_->at(position);
    } catch (const Error&) {
      ++g_skipped;
      return {};
    }
  }
  RecordId origin(std::int64_t position) const override { return from_->origin(position); }
  std::optional<std::uint32_t> seed() const override { return from_->seed(); }
  std::vector<const Stream*> parents() const override { return from_->parents(); }

 private:
  StreamPtr from_;
};

}  // namespace

StreamPtr skipping_errors(StreamPtr stream) {
  return std::make_shared<Skipping>(std::move(stream));
}

std::int64_t skipped_records() { return g_skipped; }

}  // namespace kd::data
