// The code in the opening comments of headers about data and the files of a run;
// tests/docs_test.cc holds the headers to it.
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <numeric>

#include "base/temp_folder.h"
#include "kd/ckpts/engine/init_transform.h"
#include "kd/ckpts/engine/manager.h"
#include "kd/data/engine/dataset.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/engine/profile.h"
#include "kd/data/engine/records.h"
#include "kd/data/engine/resize.h"
#include "kd/data/engine/stream.h"
#include "kd/data/engine/transform.h"
#include "kd/data/order/generator.h"
#include "kd/data/order/index_shuffle.h"
#include "kd/engine/engine.h"
#include "kd/exports/engine/model.h"
#include "kd/inspect/dashboards.h"
#include "kd/inspect/trace.h"
#include "kd/io/safetensors.h"
#include "kd/kd.h"
#include "kd/writers/engine/writer.h"
#include "kd/writers/progress.h"

namespace headers_data {

using namespace kd;
using data::Dataset;
using data::Generator;
using data::Process;
using data::Records;

// records.h
struct Squares {
  int n = 10;
  std::int64_t size() const { return n; }
  Tree record(std::int64_t i) const { return Tree::dict({{"x", at::full({1}, i * i)}}); }
};

// pipeline.h
struct Opened {
  Dataset open(const Process& process) const {
    return data::in_memory_batches(Tree::dict({{"x", at::arange(4)}}), {.batch_size = 2}, process);
  }
};
struct Numbers : data::py::DataSource {
  std::shared_ptr<const Records> records() const { return data::open(Poly<Source>(Squares{})); }
};

// transform.h
struct Mapped {
  Tree map(Tree record) const { return record; }
};
struct MappedElement {
  Required<data::ElementKey> key;
  Tensor map_element(const Tensor& element) const { return element + 1; }
};
struct MappedRandomly {
  Tree random_map(Tree record, const Generator& rng) const {
    record["draw"] = at::full({1}, Generator(rng).uniform());
    return record;
  }
};
struct MappedElementRandomly {
  Required<data::ElementKey> key;
  Tensor random_map_element(const Tensor& element, Generator& rng) const {
    return element + static_cast<std::int64_t>(rng.integers(2));
  }
};
struct Even {
  bool filter(const Tree& record) const { return record["x"].tensor().item<int>() % 2 == 0; }
};
struct Twice {
  std::vector<Tree> split(const Tree& record) const { return {record, record}; }
};

// init_transform.h
struct MyTransform {
  Tree transform(Tree state) const {
    state["params"] = Tree(at::ones({1}));
    return state;
  }
};

}  // namespace headers_data

using headers_data::MyTransform;
using headers_data::Squares;
KD_COMPONENT(kd::Source, Squares);
KD_COMPONENT(kd::Pipeline, headers_data::Opened);
KD_COMPONENT(kd::Transform, headers_data::Mapped);
KD_COMPONENT(kd::Transform, headers_data::MappedElement);
KD_COMPONENT(kd::Transform, headers_data::MappedRandomly);
KD_COMPONENT(kd::Transform, headers_data::MappedElementRandomly);
KD_COMPONENT(kd::Transform, headers_data::Twice);
KD_COMPONENT(kd::Transform, headers_data::Even);
KD_COMPONENT(kd::InitTransform, MyTransform);

namespace headers_data {
namespace {

namespace fs = std::filesystem;
using namespace data;
using ::testing::ElementsAre;

class HeadersData : public ::testing::Test {
 protected:
  const base::TempFolder folder_;
  const fs::path& workdir = folder_.path();
};

TEST_F(HeadersData, Dataset) {
  auto use = [](const Tensor& image) { EXPECT_EQ(image.size(0), 16); };
  train::Trainer cfg;
  cfg.train_ds = data::py::Tfds{.name = "fashion_mnist",
                                .split = "test[:64]",
                                .shuffle = false,
                                .num_epochs = 1,
                                .batch_size = 16};
  Dataset ds = data::open(cfg.train_ds);
  for (const Tree& batch : ds.take(10)) use(batch["image"].tensor());

  int batches = 0;
  Iterator later = ds.iterate();
  Iterator it = ds.iterate();
  while (auto batch = it.next()) ++batches;
  std::string state = it.state();
  later.restore(state);
  it.records();
  EXPECT_EQ(batches, 4);
  EXPECT_FALSE(later.next());
}

TEST_F(HeadersData, RandomOrders) {
  const std::uint64_t seed = 1, epoch = 2;
  std::vector<std::int64_t> indices = {0, 1, 2, 3};
  Generator order({seed, 0}, {0, 0, epoch, 0});
  order.shuffle(indices);
  auto start = order.integers(7);
  EXPECT_LT(start, 7u);
  EXPECT_EQ(std::accumulate(indices.begin(), indices.end(), std::int64_t{0}), 6);
  {
    const std::uint32_t seed = 3;
    IndexShuffle order(/*max_index=*/59999, seed);
    auto record = order(17);
    EXPECT_LE(record, 59999u);
  }
}

TEST_F(HeadersData, Records) {
  RecordsPtr records = data::open(Poly<Source>(Squares{}));
  Tree first = records->read(0);
  EXPECT_EQ(first["x"].tensor().item<int>(), 0);
  const std::uint32_t seed = 1, shuffle_seed = 2;
  StreamPtr s = shuffled(slice(seeded(stream(records), seed), {0, {}, 2}), shuffle_seed);
  std::optional<Tree> record = s->at(17);
  EXPECT_EQ(record->at("x").tensor().item<int>() % 4, 0);
}

TEST_F(HeadersData, PipelinesOfOnesOwn) {
  Dataset ds = data::open(Poly<Pipeline>(Opened{}));
  EXPECT_EQ(ds[0]["x"].tensor().numel(), 2);
  EXPECT_EQ(Numbers().records()->size(), 10);
}

TEST_F(HeadersData, TransformsOfOnesOwn) {
  data::py::DataSource ds{.data_source = Squares{}, .shuffle = false, .num_epochs = 1};
  ds.transforms = {Mapped{},         MappedElement{.key = "x"},
                   MappedRandomly{}, MappedElementRandomly{.key = "x"},
                   Even{},           Twice{}};
  ds.batch_size = 1;
  ds.seed = 0;
  for (const Tree& batch : data::open(Poly<Pipeline>(ds))) {
    EXPECT_EQ(batch["x"].tensor().item<int>() % 2, 0);
    EXPECT_EQ(batch["draw"].tensor().numel(), 1);
  }
}

TEST_F(HeadersData, Profile) {
  std::vector<std::string> names;
  start_profile();
  for (const Tree& batch : data::open(Poly<Pipeline>(data::py::DataSource{.data_source = Squares{},
                           .shuffle = false,
                           .num_epochs = 1,
                           .batch_size = 5,
                           .seed = 0}))) {
    EXPECT_EQ(batch["x"].tensor().numel(), 5);
  }
  for (auto& part : stop_profile()) names.push_back(part.name);
  EXPECT_FALSE(names.empty());
}

TEST_F(HeadersData, Resize) {
  const Tensor image = at::ones({448, 448, 3});
  Tensor small = resize_jax(image, {224, 224}, ResizeMethod::bilinear, /*antialias=*/true);
  EXPECT_THAT(small.sizes(), ElementsAre(224, 224, 3));
}

TEST_F(HeadersData, InitTransform) {
  train::Trainer trainer;
  trainer.init_transform = MyTransform{};
  Tree state = Tree::dict();
  state = ckpts::transform(trainer.init_transform, state);
  state = ckpts::transform_after_optimizer(trainer.init_transform, state);
  EXPECT_TRUE(state.contains("params"));
}

TEST_F(HeadersData, Checkpoints) {
  train::Trainer trainer;
  trainer.checkpointer = ckpts::Checkpointer{.save_interval_steps = 1};
  Tree state = Tree::dict({{"x", at::ones({2})}});
  const std::int64_t step = 3;
  ckpts::Manager manager(trainer.checkpointer, workdir);
  if (auto last = manager.latest_step()) state = manager.restore().state;
  if (manager.should_save(step)) manager.save(step, {.state = state, .items = {{"timer", 1.5}}});
  manager.wait_until_finished();
  EXPECT_EQ(manager.latest_step(), 3);
}

TEST_F(HeadersData, Writers) {
  train::Trainer trainer;
  trainer.writer = train::KDMetricWriter{};
  auto writer = writers::open(trainer.writer, workdir, "train");
  writer->write({.step = 10, .scalars = {{"losses/total", 0.25}}});
  writer->flush();
  EXPECT_FALSE(fs::is_empty(workdir / "train"));

  const std::int64_t step = 500;
  writers::Progress bar(1000, "train");
  bar.update(step, "loss 0.123");
  EXPECT_THAT(bar.line(80), ::testing::HasSubstr("loss 0.123"));
}

TEST_F(HeadersData, Inspect) {
  const Map<Poly<Loss>> losses = {{"a", losses::L2{.preds = "preds", .targets = "batch.x"}}};
  auto all = inspect::merged({inspect::dashboards_of({.collection = "train", .losses = losses}),
                              inspect::dashboards_of({.collection = "eval", .losses = losses})});
  all = inspect::with_overview(all);
  EXPECT_TRUE(all.dashboards.contains("overview"));

  train::Trainer trainer;
  trainer.profiler =
      inspect::Profiler{.num_profile_steps = 1, .profile_duration_ms = 0, .first_profile = 1};
  using inspect::Tracer;
  auto step = [] { return at::ones({2}).sum(); };
  Tracer tracer(trainer.profiler, workdir);
  for (std::int64_t i = 0; i < 4; ++i) {
    step();
    tracer.step(i);
  }
  EXPECT_TRUE(fs::exists(workdir / "profile"));
}

TEST_F(HeadersData, Safetensors) {
  fs::current_path(workdir);
  {
    const Tensor kernel = at::ones({2, 3}), bias = at::ones({3});
    io::save_safetensors("params.safetensors", {{"kernel", kernel}, {"bias", bias}});
  }
  Tensor kernel = io::load_safetensors("params.safetensors").at("kernel");
  EXPECT_EQ(kernel.numel(), 6);
  fs::current_path("/");
}

TEST_F(HeadersData, Engine) {
  engine::configure({.threads = 2, .device = "cpu"});
  Tensor x = at::zeros({8}, engine::device());
  EXPECT_TRUE(x.device().is_cpu());
}

}  // namespace
}  // namespace headers_data
