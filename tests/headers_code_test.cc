// The code in the opening comments of headers that only configures; tests/docs_test.cc holds the
// headers to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/kd.h"
#include "kd/train/eval_only.h"
#include "loader/loader.h"

namespace {

using namespace kd;
using konfig::ConfigDict;

// What a header promises is that the config can be built.
std::shared_ptr<const train::Trainer> built(Config<train::Trainer>& cfg) {
  return konfig::resolve<train::Trainer>(konfig::lower(cfg));
}

TEST(HeadersCode, Loader) {
  using loader::load;
  ConfigDict cfg = load({.source = "mnist_autoencoder"});
  EXPECT_EQ(cfg["seed"].as<std::int64_t>(), 42);
  EXPECT_THROW(ConfigDict cfg = load({.source = "my_config.cc"}), konfig::Error);
  EXPECT_THROW(ConfigDict cfg = load({.source = "config.json"}), konfig::Error);
  EXPECT_THROW(ConfigDict cfg = load({.source = "config.py"}), konfig::Error);
}

TEST(HeadersCode, Pipelines) {
  Config<train::Trainer> cfg;
  cfg.train_ds = data::py::Tfds{.name = "fashion_mnist",
                                .split = "train",
                                .shuffle = true,
                                .transforms = {data::Elements{.keep = {"image"}}},
                                .batch_size = 256};
  EXPECT_TRUE(built(cfg)->train_ds.holds<data::py::Tfds>());
  cfg.train_ds =
      data::py::DataSource{.data_source = data::Csv{.path = "iris.csv"}, .shuffle = true};
  EXPECT_TRUE(built(cfg)->train_ds.holds<data::py::DataSource>());
  cfg.train_ds = data::tf::Tfds{.name = "mnist", .split = "train", .batch_size = 256};
  EXPECT_TRUE(built(cfg)->train_ds.holds<data::tf::Tfds>());
}

TEST(HeadersCode, SourcesAndElementKeys) {
  using data::ValueRange;
  data::py::DataSource ds;
  ds.data_source = data::Csv{.path = "iris.csv"};
  ds.data_source = data::ImageFolder{.path = "flowers/train"};
  ds.data_source = data::TfRecord{.paths = {"a.tfrecord"}, .images = {{"image", 3}}};
  EXPECT_TRUE(ds.data_source.holds<data::TfRecord>());
  ds.transforms = {ValueRange{.key = "image", .vrange = {{0, 1}}},
                   ValueRange{.key = {{"image", "depth"}}, .vrange = {{0, 1}}},
                   ValueRange{.key = Map<std::string>{{"image", "small"}}, .vrange = {{0, 1}}}};
  EXPECT_EQ(ds.transforms.list().size(), 3u);
}

TEST(HeadersCode, Models) {
  Config<train::Trainer> cfg;
  cfg.model = nn::Dense{.features = 10, .dtype = DType::bfloat16};
  cfg.model = nn::Dense{.features = 10, .kernel_init = nn::initializers::Normal{.stddev = 0.02}};
  cfg.model = nn::Sequential{
      .layers = {nn::Dense{.features = 4}, "flax.linen:relu", nn::Dense{.features = 2}}};
  cfg.model = nn::Vit{.encoder = nn::VitVariant{.variant_str = "ViT-Ti/4"},
                      .num_classes = 10,
                      .image = "batch.image"};
  EXPECT_TRUE(cfg.model.holds<nn::Vit>());
  cfg.model = nn::MixedPrecision{
      .model = nn::Vit{.encoder = nn::VitVariant{.variant_str = "mu/4"}, .image = "batch.image"}};
  EXPECT_TRUE(cfg.model.holds<nn::MixedPrecision>());
}

TEST(HeadersCode, Optimizers) {
  Config<train::Trainer> cfg;
  cfg.optimizer = optim::NamedChain{
      {{"clip", optim::ClipByGlobalNorm{1.0}}, {"adam", optim::Adam{.learning_rate = 1e-3}}}};
  EXPECT_TRUE(built(cfg)->optimizer.holds<optim::NamedChain>());
  cfg.optimizer = optim::AdamW{.learning_rate = 1e-3, .mask = optim::Select{"kernel"}};
  EXPECT_TRUE(built(cfg)->optimizer.holds<optim::AdamW>());
  cfg.optimizer =
      optim::AdamW{.learning_rate = 1e-3, .mask = konfig::Dict{{"encoder", true}, {"head", false}}};
  EXPECT_TRUE(built(cfg)->optimizer.holds<optim::AdamW>());
  auto lr = node(optim::CosineDecay{.init_value = 1e-3, .decay_steps = 1000});
  cfg.optimizer = optim::Chain{
      {optim::ClipByGlobalNorm{1.0}, optim::AdamW{.learning_rate = lr, .weight_decay = 0.05}}};
  EXPECT_TRUE(built(cfg)->optimizer.holds<optim::Chain>());
  cfg.optimizer =
      optim::Adam{.learning_rate = optim::CosineDecay{.init_value = 1e-3, .decay_steps = 1000}};
  EXPECT_TRUE(built(cfg)->optimizer.holds<optim::Adam>());
}

data::py::Tfds test_ds() { return {.name = "fashion_mnist", .split = "test", .batch_size = 256}; }

static konfig::ConfigDict get_config() {
  Config<train::Trainer> cfg;
  cfg.evals["test"] = evals::Evaluator{.run = evals::StandaloneLastCheckpoint{}, .ds = test_ds()};
  return train::eval_only(cfg, "runs/a");
}

TEST(HeadersCode, EvalOnly) { EXPECT_EQ(get_config()["aux"]["xid"].as<std::string>(), "runs/a"); }

}  // namespace
