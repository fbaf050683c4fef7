// Pipelines from configs.
#include "kd/data/pipeline.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/data/batch.h"
#include "kd/data/transforms_py.h"
#include "konfig/error.h"
#include "konfig/json.h"
#include "konfig/konfig.h"

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

Tree all_examples() { return Tree::dict({{"i", at::arange(10, at::kLong)}}); }

}  // namespace kd::data

KD_COMPONENT(kd::Source, kd::data::Count, "my.project:Count");
KONFIG_CALLABLE("my.project:all_examples", kd::data::all_examples);

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

TEST(Pipeline, EachProcessReadsItsPart) {
  py::DataSource p{
      .data_source = Count{.n = 8}, .shuffle = false, .num_epochs = 1, .batch_size = 4, .seed = 0};
  EXPECT_THAT(all_of(open(Poly<Pipeline>(p), Process{1, 2})),
              ElementsAre(ElementsAre(1, 3), ElementsAre(5, 7)));
  p.shard_by_process = false;
  EXPECT_EQ(all_of(open(Poly<Pipeline>(p), Process{1, 2})).size(), 4u);
  EXPECT_THROW(open(Poly<Pipeline>(p), Process{2, 2}), konfig::Error);
}

}  // namespace
}  // namespace kd::data
