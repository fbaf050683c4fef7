// What `kd data` shows: numbers, pictures, rates.
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kd/core/implement.h"
#include "kd/data/engine/pipeline.h"
#include "kd/inspect/data_api.h"
#include "kd/inspect/engine/data_grid.h"
#include "kd/inspect/engine/data_stats.h"
#include "kd/inspect/engine/dataset_at.h"
#include "kd/io/image.h"
#include "konfig/json.h"
#include "konfig/konfig.h"

namespace kd::inspect {

// Images of one colour each, their number as label.
struct Squares {
  int n = 10;
  std::int64_t size() const { return n; }
  Tree record(std::int64_t i) const {
    return Tree::dict({{"image", at::full({4, 4, 1}, i, at::kByte)},
                       {"label", at::full({}, i, at::kLong)},
                       {"name", Tree(Tree::Texts{"square"})},
                       {"odd", at::full({}, i % 2 ? NAN : 1.0, at::kFloat)}});
  }
};

}  // namespace kd::inspect

KD_COMPONENT(kd::Source, kd::inspect::Squares, "my.project:Squares");

namespace kd::inspect {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

const char* kPipeline = R"({"__qualname__": "kauldron.kd:data.py.DataSource",
    "data_source": {"__qualname__": "my.project:Squares"}, "shuffle": false, "num_epochs": 1,
    "batch_size": 4, "num_workers": 0, "batch_drop_remainder": false})";

konfig::ConfigDict config(const std::string& json) { return konfig::config_from_json(json); }
konfig::ConfigDict trainer() {
  return config(std::string(R"({"__qualname__": "kauldron.kd:train.Trainer", "seed": 1,
      "train_ds": )") +
                kPipeline + "}");
}

TEST(DataInspect, FindsTheDatasetOfAConfig) {
  EXPECT_EQ(dataset_at(config(kPipeline), "").size(), 3);
  EXPECT_EQ(dataset_at(trainer(), "").size(), 3);
  EXPECT_EQ(dataset_at(trainer(), "train_ds").size(), 3);
  auto error = [](const std::string& path) -> std::string {
    try {
      dataset_at(trainer(), path);
    } catch (const konfig::Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(error("train_sd"), HasSubstr("no dataset 'train_sd'; did you mean 'train_ds'?"));
  EXPECT_THAT(error("seed"), HasSubstr("not a dataset"));
  try {
    dataset_at(config(R"({"__qualname__": "kauldron.kd:train.Trainer", "seed": 1, "train_ds": {
        "__qualname__": "kauldron.kd:data.py.Tfds", "name": "imagenet2012", "split": "train",
        "shuffle": false, "data_dir": "/none"}})"),
               "");
    FAIL();
  } catch (const konfig::Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("train_ds: there is no dataset 'imagenet2012'; looked for "
                                    "/none/imagenet2012"));
  }
}

TEST(DataInspect, SpecNamesTypesAndLength) {
  EXPECT_EQ(show_spec(trainer(), {}),
            "image: uint8[4 4 4 1]\nlabel: int64[4]\nname: text[4]\nodd: float32[4]\n3 batches\n");
}

TEST(DataInspect, StatsAreThoseOfAllValues) {
  const DataStats stats = data_stats(dataset_at(config(kPipeline), ""), 100);
  EXPECT_EQ(stats.batches, 3);
  EXPECT_EQ(stats.records, 10);
  ASSERT_EQ(stats.elements.size(), 4u);
  const ElementStats& label = stats.elements[1];
  EXPECT_EQ(label.name, "label");
  EXPECT_EQ(label.count, 10);
  EXPECT_EQ(label.min, 0);
  EXPECT_EQ(label.max, 9);
  EXPECT_NEAR(label.mean, 4.5, 1e-12);
  EXPECT_NEAR(label.std, std::sqrt(8.25), 1e-12);
  std::int64_t sum = 0;
  for (std::int64_t n : stats.elements[0].histogram) sum += n;
  EXPECT_EQ(sum, 160);
  EXPECT_EQ(stats.elements[0].histogram.front(), 16);
  EXPECT_EQ(stats.elements[3].not_finite, 5);
  EXPECT_EQ(stats.elements[3].mean, 1);
  const std::string text = show_stats(trainer(), {.batches = 2});
  EXPECT_THAT(text, HasSubstr("2 batches, 8 records\n"));
  EXPECT_THAT(text, HasSubstr("label    int64[4] "));
  EXPECT_THAT(text, HasSubstr("4 not finite"));
}

TEST(DataInspect, GridsHaveImagesAndLabels) {
  const Picture picture = show_images(trainer(), {.n = 6});
  const Tensor png = io::decode_png(picture.png, 3, "grid");
  EXPECT_EQ(png.size(0), picture.height);
  EXPECT_EQ(png.size(1), picture.width);
  EXPECT_EQ(picture.rgb.size(), static_cast<std::size_t>(picture.height * picture.width * 3));
  EXPECT_GT(picture.width, 3 * 64);  // small images in big pixels
  EXPECT_GT(picture.height, 2 * 64);
  // The first image is black, and something is written below it.
  EXPECT_EQ(png[10][10][0].item().toLong(), 0);
  EXPECT_GT(png.narrow(0, 68, 12).narrow(1, 4, 64).max().item().toLong(), 200);
  EXPECT_THROW(show_images(trainer(), {.key = "label"}), konfig::Error);
  EXPECT_THROW(show_images(trainer(), {.key = "imag"}), konfig::Error);
  EXPECT_NO_THROW(show_images(trainer(), {.n = 100, .label = "name"}));
}

TEST(DataInspect, BenchTellsWhereTheTimeGoes) {
  const std::string text = show_speed(trainer(), {.batches = 20});
  EXPECT_THAT(text.substr(0, text.find('\n')),
              MatchesRegex("[0-9]+ batches/s, [0-9]+ records/s \\(20 batches in .*"));
  EXPECT_THAT(text, HasSubstr("reading"));
}

}  // namespace
}  // namespace kd::inspect
