// Pipelines from configs.
#include "kd/data/engine/pipeline.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/sin.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "kd/data/engine/batch.h"
#include "kd/data/pipelines/pipelines_tf.h"
#include "kd/data/transforms/transforms_py.h"
#include "konfig/error.h"
#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/konfig.h"
#include "konfig/register.h"

namespace kd::data {

// A source of one's own.
struct Count {
  int n = 10;
  int base = 0;
  std::int64_t size() const { return n; }
  Tree record(std::int64_t i) const {
    if (i == 7 && base == 13) throw konfig::Error(konfig::ErrorKind::value, "seven is broken");
    return Tree::dict({{"i", at::full({}, base + i, at::kLong)}});
  }
};

// A transform as a function.
Tree plus_one(Tree record) {
  record["i"] = record["i"].tensor() + 1;
  return record;
}

Tree all_examples() { return Tree::dict({{"i", at::arange(10, at::kLong)}}); }

}  // namespace kd::data

KD_COMPONENT(kd::Source, kd::data::Count, "my.project:Count");
KONFIG_CALLABLE("my.project:all_examples", kd::data::all_examples);
KONFIG_CALLABLE("my.project:plus_one", kd::data::plus_one);

namespace kd::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<std::int64_t>;

std::vector<Numbers> all_of(const Dataset& ds) {
  std::vector<Numbers> out;
  for (const Tree& batch : ds) {
    const Tensor t = batch["i"].tensor().contiguous();
    auto* from = t.const_data_ptr<std::int64_t>();
    out.emplace_back(from, from + t.numel());
  }
  return out;
}

Poly<Pipeline> pipeline(const std::string& json) {
  return konfig::load<Poly<Pipeline>>(
      konfig::resolve(konfig::Value(konfig::config_from_json(json))));
}

TEST(Pipeline, ComesFromAConfig) {
  const auto from_json = pipeline(R"({"__qualname__": "kauldron.kd:data.py.DataSource",
      "data_source": {"__qualname__": "my.project:Count", "n": 5},
      "shuffle": true, "num_epochs": 1, "batch_size": 2, "seed": 3, "batch_drop_remainder": "keep",
      "transforms": {"first": {"__qualname__": "kauldron.kd:data.py.SliceDataset", "0": 3}}})");
  const py::DataSource written{.data_source = Count{.n = 5},
                               .shuffle = true,
                               .num_epochs = 1,
                               .transforms = {py::SliceDataset{.stop = 3}},
                               .batch_size = 2,
                               .seed = 3,
                               .batch_drop_remainder = Remainder::keep};
  const auto batches = all_of(open(from_json));
  EXPECT_EQ(batches, all_of(open(Poly<Pipeline>(written))));
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[1].size(), 1u);
}

TEST(Pipeline, AFunctionIsATransform) {
  auto with = [](const std::string& function) {
    return pipeline(R"({"__qualname__": "kauldron.kd:data.py.DataSource",
        "data_source": {"__qualname__": "my.project:Count", "n": 4}, "shuffle": false,
        "num_epochs": 1, "batch_size": 4, "seed": 3, "transforms": [{"__const__": ")" +
                    function + "\"}]}");
  };
  EXPECT_THAT(all_of(open(with("my.project:plus_one"))), ElementsAre(ElementsAre(1, 2, 3, 4)));
  konfig::expect_error(konfig::ErrorKind::type, {"transforms[0]: expected a function"},
                       [&] { with("my.project:all_examples"); });
  konfig::expect_error(konfig::ErrorKind::key,
                       {"transforms[0]: ", "KONFIG_CALLABLE(\"my_lib:normalize\""},
                       [&] { with("my_lib:normalize"); });
}

// Those of which there is one work in both.
TEST(Pipeline, TransformsOfTheOtherBackEndAreRefused) {
  auto error = [](auto pipeline, const Poly<Transform>& transform) -> std::string {
    pipeline.transforms = {transform};
    try {
      open(Poly<Pipeline>(pipeline));
    } catch (const konfig::Error& e) {
      EXPECT_EQ(e.path(), "transforms[0]");
      return e.message();
    }
    return "";
  };
  using Shape = std::vector<std::optional<int>>;
  const py::DataSource py{.data_source = Count{.n = 4}, .shuffle = false, .seed = 0};
  EXPECT_EQ(error(py, tf::RandomCrop{.key = "i", .shape = Shape{1}}),
            "kd.data.tf.RandomCrop is not for pipelines of kd.data.py; use "
            "kd.data.py.RandomCrop");
  EXPECT_THAT(error(py, tf::RandomFlipLeftRight{.key = "i"}), HasSubstr("use kd.data.py.Random"));
  EXPECT_THAT(error(py, tf::Resize{.key = "i", .height = 2, .width = 2}),
              HasSubstr("use kd.data.Resize(size="));
  EXPECT_EQ(error(py, tf::OneHot{.key = "i", .num_classes = 9}), "");
  const tf::ZipDatasets tf{.datasets = {{"a", py}}, .seed = 0};
  EXPECT_THAT(error(tf, py::RandomCrop{.key = "i", .shape = Shape{1}}),
              HasSubstr("use kd.data.tf.RandomCrop"));
  EXPECT_THAT(error(tf, py::RandomFlipLeftRight{.key = "i"}), HasSubstr("use kd.data.tf.Random"));
  EXPECT_THAT(error(tf, py::SliceDataset{.stop = 3}), HasSubstr("split='train[:100]'"));
}

TEST(Pipeline, BatchesAheadAreCounted) {
  const py::DataSource py{.data_source = Count{.n = 4}, .shuffle = false, .seed = 0};
  const tf::ZipDatasets tf{.datasets = {{"a", py}}, .seed = 0, .prefetch_size = -2};
  EXPECT_THAT(konfig::error_of([&] { open(Poly<Pipeline>(tf)); }),
              HasSubstr("prefetch_size: expected a whole number of 0 or more, or -1"));
}

TEST(Pipeline, MixturesHaveDatasetsOfTheirKind) {
  const py::Mix mix{
      .datasets = {py::DataSource{.data_source = Count{.n = 4}, .shuffle = false},
                   py::DataSource{.data_source = Count{.n = 4, .base = 100}, .shuffle = false}},
      .shuffle = false,
      .num_epochs = 1,
      .batch_size = 4,
      .seed = 0};
  EXPECT_THAT(all_of(open(Poly<Pipeline>(mix))),
              ElementsAre(ElementsAre(0, 100, 1, 101), ElementsAre(2, 102, 3, 103)));
  const py::Mix wrong{.datasets = {InMemoryPipeline{}}, .seed = 0};
  try {
    open(Poly<Pipeline>(wrong));
    FAIL();
  } catch (const konfig::Error& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("datasets[0]: kd::data::InMemoryPipeline cannot be part of a mixture"));
  }
}

TEST(Pipeline, SelectionsFollowTheirTable) {
  using Table = std::vector<std::pair<std::int64_t, std::int64_t>>;
  const py::SelectFromDatasets select{
      .datasets = {py::DataSource{.data_source = Count{.n = 4}, .shuffle = false},
                   py::DataSource{.data_source = Count{.n = 4, .base = 100}, .shuffle = false}},
      .selection_map = Table{{1, 3}, {0, 0}, {1, 1}},
      .shuffle = false,
      .num_epochs = 1,
      .batch_size = 3,
      .seed = 0};
  EXPECT_THAT(all_of(open(Poly<Pipeline>(select))), ElementsAre(ElementsAre(103, 0, 101)));
}

TEST(Pipeline, InMemoryTakesAFunctionOrASource) {
  const auto by_function = pipeline(R"({"__qualname__": "kauldron.kd:data.InMemoryPipeline",
      "loader": {"__const__": "my.project:all_examples"}, "shuffle": true, "num_epochs": 1,
      "batch_size": 3, "seed": 1})");
  const InMemoryPipeline by_source{.loader = Poly<Source>(Count{}),
                                   .shuffle = true,
                                   .num_epochs = 1,
                                   .batch_size = 3,
                                   .seed = 1};
  const auto batches = all_of(open(by_function));
  EXPECT_EQ(batches.size(), 3u);
  EXPECT_EQ(batches, all_of(open(Poly<Pipeline>(by_source))));
  EXPECT_EQ(spec_text(open(by_function).element_spec()), "i: int64[3]\n");
}

TEST(Pipeline, InMemoryIteratorsContinueWhereTheyStopped) {
  const InMemoryPipeline p{.loader = Poly<Source>(Count{}),
                           .shuffle = true,
                           .num_epochs = 3,
                           .batch_size = 4,
                           .seed = 1};
  const Dataset ds = open(Poly<Pipeline>(p));
  const auto all = all_of(ds);
  ASSERT_EQ(static_cast<std::int64_t>(all.size()), ds.size());
  for (std::size_t stop = 0; stop < all.size(); ++stop) {
    Iterator it = ds.iterate();
    for (std::size_t i = 0; i < stop; ++i) it.next();
    Iterator other = ds.iterate();
    other.restore(it.state());
    EXPECT_TRUE(
        other.next()->at("i").tensor().equal(ds[static_cast<std::int64_t>(stop)]["i"].tensor()));
  }
}

TEST(Pipeline, BadRecordsAreSkippedIfAskedFor) {
  py::DataSource p{.data_source = Count{.n = 10, .base = 13},
                   .shuffle = false,
                   .num_epochs = 1,
                   .batch_size = 3,
                   .seed = 0};
  try {
    all_of(open(Poly<Pipeline>(p)));
    FAIL();
  } catch (const konfig::Error& e) {
    EXPECT_STREQ(e.what(), "position 7 of the data: seven is broken");
  }
  p.skip_bad_records = true;
  const auto before = skipped_records();
  EXPECT_THAT(
      all_of(open(Poly<Pipeline>(p))),
      ElementsAre(ElementsAre(13, 14, 15), ElementsAre(16, 17, 18), ElementsAre(19, 21, 22)));
  EXPECT_EQ(skipped_records() - before, 1);
}

TEST(Pipeline, StandingAloneItNeedsNoSeed) {
  const py::DataSource p{
      .data_source = Count{.n = 8}, .shuffle = true, .num_epochs = 1, .batch_size = 8};
  const Dataset ds = open(Poly<Pipeline>(p));
  EXPECT_EQ(all_of(ds), all_of(ds));  // chosen once
  EXPECT_THAT(all_of(ds)[0], ::testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

Poly<Pipeline> counting(int n, int base, std::optional<int> epochs = 1) {
  return py::DataSource{.data_source = Count{.n = n, .base = base},
                        .shuffle = false,
                        .num_epochs = epochs,
                        .seed = 0};
}

TEST(TfPipeline, SamplesByWeightUntilAllAreUsedUp) {
  const tf::SampleFromDatasets all{.datasets = {counting(30, 0), counting(10, 100)},
                                   .weights = {{3, 1}},
                                   .batch_size = 8,
                                   .batch_drop_remainder = false,
                                   .seed = 3};
  const Dataset ds = open(Poly<Pipeline>(all));
  Numbers seen, of_first;
  for (auto& batch : all_of(ds)) seen.insert(seen.end(), batch.begin(), batch.end());
  EXPECT_EQ(seen.size(), 40u);
  for (auto i : seen) {
    if (i < 100) of_first.push_back(i);
  }
  EXPECT_TRUE(std::ranges::is_sorted(of_first));  // each dataset in its own order
  EXPECT_EQ(of_first.size(), 30u);
  EXPECT_FALSE(std::ranges::is_sorted(seen));
  EXPECT_EQ(all_of(ds), all_of(ds));
  Iterator it = ds.iterate();
  it.next();
  Iterator other = ds.iterate();
  other.restore(it.state());
  EXPECT_TRUE(other.next()->at("i").tensor().equal(ds[1]["i"].tensor()));

  tf::SampleFromDatasets first = all;
  first.stop_on_empty_dataset = true;
  first.batch_size = std::nullopt;
  EXPECT_LT(open(Poly<Pipeline>(first)).size(), 40);
  first.weights = {{1, 1, 1}};
  EXPECT_THROW(open(Poly<Pipeline>(first)), konfig::Error);
}

std::string error_of(const std::string& json) {
  return konfig::error_of([&] { open(pipeline(json)); });
}

// What would change examples or their order and is not done here is refused by name.
TEST(Pipeline, FieldsWithoutAMeaningHereAreRefused) {
  const std::string fn = R"({"__const__": "my.project:prepare"})";
  EXPECT_THAT(error_of(R"({"__qualname__": "kauldron.kd:data.py.DataSource", "shuffle": false,
      "data_source": {"__qualname__": "my.project:Count"}, "worker_init_fn": )" +
                       fn + "}"),
              HasSubstr("worker_init_fn: expected None"));
  EXPECT_THAT(error_of(R"({"__qualname__": "kauldron.kd:data.py.Mix", "datasets": [],
      "worker_init_fn": )" +
                       fn + "}"),
              HasSubstr("worker_init_fn: expected None"));
  EXPECT_THAT(error_of(R"({"__qualname__": "kauldron.kd:data.tf.Tfds", "name": "mnist",
      "split": "train", "decoders": {"image":
      {"__qualname__": "tensorflow_datasets:decode.SkipDecoding"}}})"),
              HasSubstr("decoders: expected None"));
  EXPECT_THAT(error_of(R"({"__qualname__": "kauldron.kd:data.tf.SampleFromDatasets",
      "datasets": [], "rerandomize_each_iteration": true})"),
              HasSubstr("rerandomize_each_iteration: iterators repeat exactly"));
  const std::string legacy = R"({"__qualname__": "kauldron.kd:data.tf.TfdsLegacy", "name": "none",
      "split": "train", "tf_data_options": {"__qualname__": "tensorflow:data.Options"},
      "read_config": {"__qualname__": "tensorflow_datasets:ReadConfig", )";
  EXPECT_THAT(error_of(legacy + R"("add_tfds_id": true}})"),
              HasSubstr("read_config.add_tfds_id: not known here"));
  EXPECT_THAT(error_of(legacy + R"("skip_prefetch": true}})"), HasSubstr("no dataset 'none'"));
}

TEST(TfPipeline, EndlessMixturesHaveTheirShares) {
  const tf::SampleFromDatasets mix{.datasets = {counting(5, 0, {}), counting(5, 100, {})},
                                   .weights = {{0.8, 0.2}},
                                   .batch_size = 1000,
                                   .seed = 1};
  const Dataset ds = open(Poly<Pipeline>(mix));
  EXPECT_TRUE(ds.is_infinite());
  EXPECT_EQ(ds.element_spec()["i"].tensor().size(0), 1000);  // as training asks for at its start
  const Tensor batch = ds.iterate().next()->at("i").tensor();
  EXPECT_NEAR(batch.lt(100).sum().item().toDouble(), 800, 60);
}

TEST(TfPipeline, ZipPutsExamplesSideBySide) {
  const tf::ZipDatasets zip{.datasets = {{"a", counting(5, 0)}, {"b", counting(7, 100)}},
                            .batch_size = 2,
                            .batch_drop_remainder = false,
                            .seed = 0,
                            .checkpoint = false};
  const Dataset ds = open(Poly<Pipeline>(zip));
  EXPECT_EQ(ds.size(), 3);
  const Tree batch = *ds.iterate().next();
  EXPECT_EQ(batch["a"]["i"].tensor()[1].item().toLong(), 1);
  EXPECT_EQ(batch["b"]["i"].tensor()[1].item().toLong(), 101);
  EXPECT_EQ(ds.iterate().state(), "{}");
}

TEST(TfPipeline, SpecsComeAsOneBatchOfZeros) {
  const auto p = pipeline(R"({"__qualname__": "kauldron.kd:data.tf.ElementSpecDataset", "spec": {
      "image": {"__qualname__": "etils.enp:ArraySpec", "shape": [2, 4, 4, 3], "dtype": "uint8"},
      "camera.pose": {"__qualname__": "etils.enp:ArraySpec", "shape": [2, 7]}}})");
  const Dataset ds = open(p);
  EXPECT_EQ(ds.size(), 1);
  EXPECT_EQ(spec_text(ds.element_spec()), "camera.pose: float32[2 7]\nimage: uint8[2 4 4 3]\n");
  Iterator it = ds.iterate();
  EXPECT_EQ(it.next()->at("image").tensor().sum().item().toLong(), 0);
  EXPECT_FALSE(it.next().has_value());
  // Sizes that are not known: the reference's own choice.
  EXPECT_EQ(spec_text(open(pipeline(R"({"__qualname__": "kauldron.kd:data.tf.ElementSpecDataset",
      "spec": {"x": {"__qualname__": "etils.enp:ArraySpec", "shape": [null, 4, null]}}})"))
                          .element_spec()),
            "x: float32[17 4 1]\n");
}

TEST(TfPipeline, TfdsSharesTheShuffledOrder) {
  auto share = [](int index, int count, bool shuffle) {
    const tf::Tfds p{.name = "fashion_mnist",
                     .split = "test[:10]",
                     .shuffle = shuffle,
                     .num_epochs = 1,
                     .transforms = {Elements{.keep = {"label"}, .rename = {}}},
                     .batch_size = count,
                     .seed = 1};
    Numbers out;
    for (const Tree& batch : open(Poly<Pipeline>(p), Process{index, count})) {
      out.push_back(batch["label"].tensor()[0].item().toLong());
    }
    return out;
  };
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) {
    GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  }
  const Numbers whole = share(0, 1, true);
  ASSERT_EQ(whole.size(), 10u);
  EXPECT_NE(whole, share(0, 1, false));
  const Numbers third = share(1, 3, true);
  EXPECT_THAT(third, ElementsAre(whole[1], whole[4], whole[7]));
}

TEST(Pipeline, EachProcessReadsItsPart) {
  py::DataSource p{
      .data_source = Count{.n = 8}, .shuffle = false, .num_epochs = 1, .batch_size = 4, .seed = 0};
  EXPECT_THAT(all_of(open(Poly<Pipeline>(p), Process{1, 2})),
              ElementsAre(ElementsAre(1, 3), ElementsAre(5, 7)));
  p.shard_by_process = false;
  EXPECT_EQ(all_of(open(Poly<Pipeline>(p), Process{1, 2})).size(), 4u);
  EXPECT_THROW(open(Poly<Pipeline>(p), Process{2, 2}), konfig::Error);
}

// Every kind of dataset, from every position, in threads or not.
TEST(Pipeline, EveryKindGoesOnWhereItWasSaved) {
  auto source = [](int n, int base, int workers) {
    return py::DataSource{.data_source = Count{.n = n, .base = base},
                          .shuffle = true,
                          .num_epochs = 2,
                          .batch_size = 3,
                          .seed = 4,
                          .num_workers = workers};
  };
  auto kinds = [&](int workers) {
    const Poly<Pipeline> a = source(11, 0, workers), b = source(5, 100, workers);
    const Dataset plain = open(a);
    return std::vector<Dataset>{
        plain,
        open(Poly<Pipeline>(py::Mix{.datasets = {a, b},
                                    .weights = {{2, 1}},
                                    .num_epochs = 2,
                                    .batch_size = 4,
                                    .seed = 4,
                                    .num_workers = workers})),
        open(Poly<Pipeline>(
            py::SelectFromDatasets{.datasets = {a, b},
                                   .selection_map =
                                       std::vector<std::pair<std::int64_t, std::int64_t>>{
                                           {0, 3}, {1, 2}, {1, 0}, {0, 10}, {0, 1}},
                                   .num_epochs = 3,
                                   .batch_size = 2,
                                   .seed = 4,
                                   .num_workers = workers})),
        open(Poly<Pipeline>(InMemoryPipeline{.loader = Poly<Source>(Count{.n = 9}),
                                             .shuffle = true,
                                             .num_epochs = 2,
                                             .batch_size = 2,
                                             .seed = 4})),
        open(Poly<Pipeline>(tf::SampleFromDatasets{
            .datasets = {a, b}, .batch_size = 4, .seed = 4, .prefetch_size = workers})),
        plain.take(5),
        plain.cache(),
        plain.prefetch(2),
        plain.device_put(),
        plain.prefetch(1).take(4),
        plain.map([](Tree batch) { return batch; }).prefetch(3),
        plain.filter([](const Tree& batch) { return batch["i"].tensor()[0].item().toLong() > 2; })};
  };
  auto rest = [](Iterator it) {
    std::vector<std::string> out;
    while (auto batch = it.next()) {
      std::string text;
      const Tensor numbers = (*batch)["i"].tensor().to(at::kLong);
      for (std::int64_t k = 0; k < numbers.size(0); ++k) {
        text += std::to_string(numbers[k].item().toLong()) + " ";
      }
      out.push_back(text);
    }
    return out;
  };
  const auto in_threads = kinds(2), alone = kinds(0);
  for (std::size_t kind = 0; kind < alone.size(); ++kind) {
    const auto all = rest(alone[kind].iterate());
    ASSERT_GT(all.size(), 1u) << kind;
    EXPECT_EQ(rest(in_threads[kind].iterate()), all) << kind;
    for (std::size_t stop = 0; stop <= all.size(); ++stop) {
      Iterator before = in_threads[kind].iterate();
      for (std::size_t i = 0; i < stop; ++i) before.next();
      Iterator after = alone[kind].iterate();
      after.restore(before.state());
      EXPECT_EQ(rest(std::move(after)),
                std::vector(all.begin() + static_cast<std::ptrdiff_t>(stop), all.end()))
          << "kind " << kind << ", position " << stop;
    }
  }
}

}  // namespace
}  // namespace kd::data
