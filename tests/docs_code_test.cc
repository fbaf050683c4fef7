// The code of the pages in docs/ that only configures; tests/docs_test.cc holds the pages to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flags/config_args.h"
#include "flags/config_flag.h"
#include "kd/kd.h"
#include "kd/summaries/contrib.h"
#include "kd/train/eval_only.h"
#include "loader/loader.h"

// konfig.md: types of one's own.
namespace kd {
class Layer;
}
namespace my_project {
using kd::Layer;
using konfig::Poly;
using konfig::Required;
// What help shows.
struct Model {
  kontext::Key image = kontext::Key::required();
  Required<int> width;
  std::optional<double> dropout = {};
  std::vector<Poly<Layer>> layers = {};
};
}  // namespace my_project
KONFIG_LOCAL_COMPONENT(kd::Module, my_project::Model);

namespace {

using namespace kd;
using konfig::ConfigDict;
using konfig::lower;

// What the config becomes: that it can be built is what a page promises.
std::shared_ptr<const train::Trainer> built(Config<train::Trainer>& cfg) {
  return konfig::resolve<train::Trainer>(lower(cfg));
}

TEST(Docs, Konfig) {
  using namespace konfig;
  ConfigDict cfg = call("optax:adam", {{"learning_rate", 0.003}});
  cfg["learning_rate"] = 1e-4;
  {
    std::shared_ptr<const optim::Adam> adam = resolve<optim::Adam>(cfg);
    Value anything = resolve(cfg);
    EXPECT_EQ(std::get<double>(*adam->learning_rate), 1e-4);
    EXPECT_FALSE(anything.is_none());
  }
  cfg["schedule"] = Dict{{"kind", "cosine"}, {"steps", List{1, 2}}};
  double lr = cfg["learning_rate"].as<double>();
  EXPECT_EQ(lr, 1e-4);
  EXPECT_EQ(cfg["schedule"]["kind"].as<std::string>(), "cosine");
}

TEST(Docs, KonfigReferences) {
  using namespace konfig;
  ConfigDict cfg;
  cfg["num_train_steps"] = 10'000;
  cfg["warmup"] = cfg.ref("num_train_steps") / 10;
  cfg["schedules"] = Dict{{"lr", call("optax:warmup_cosine_decay_schedule",
                                      {{"decay_steps", cfg.ref("num_train_steps")}})}};
  cfg["optimizer"] = call("optax:adam", {{"learning_rate", cfg.ref("schedules")["lr"]}});
  cfg["num_train_steps"] = 500;
  EXPECT_EQ(cfg["schedules"]["lr"]["decay_steps"].as<std::int64_t>(), 500);
  EXPECT_EQ(cfg["optimizer"]["learning_rate"]["decay_steps"].as<std::int64_t>(), 500);
}

TEST(Docs, KonfigTyped) {
  Config<train::Trainer> cfg;
  cfg.model = nn::Dense{.features = 1};
  cfg.num_train_steps = 1000;
  auto lr = node(optim::WarmupCosineDecay{.peak_value = 3e-3});
  cfg[lr->decay_steps] = cfg.ref(cfg.num_train_steps);
  cfg.schedules["learning_rate"] = lr;
  cfg.optimizer = optim::Adam{.learning_rate = lr};
  cfg.aux["dim"] = 64;
  cfg[cfg.model.as<nn::Dense>().features] = cfg.ref<int>(cfg.aux["dim"]) * 2;
  keep(cfg.seed) = 0;
  ConfigDict config = lower(cfg);
  EXPECT_TRUE(config.contains("seed"));
  EXPECT_EQ(config["model"]["features"].as<std::int64_t>(), 128);
  auto model = konfig::resolve<my_project::Model>(
      konfig::call("my_project:Model", {{"image", "batch.image"}, {"width", 3}}));
  EXPECT_EQ(*model->width, 3);
}

TEST(Docs, Loader) {
  const char* argv[] = {"program", "--cfg=tests/configs_py/config_args.py", "--cfg.seed=3", "file"};
  const int argc = 4;
  std::vector<std::string> args(argv + 1, argv + argc);
  flags::ConfigFlag flag = flags::take_config_flag(args);
  EXPECT_EQ(flag.source, "tests/configs_py/config_args.py");
  auto load = [&] {
    konfig::ConfigDict cfg = loader::load({.source = flag.source,
                                           .args = flag.args,
                                           .config_args = flags::config_args(flag),
                                           .overrides = [&](const konfig::ConfigDict& c) {
                                             return flags::overridden_values(c, flag, args);
                                           }});
    flags::apply_overrides(cfg, flag, args);
    return cfg;
  };
  flag.source = "mnist_autoencoder";  // of this program; loader/ tests files
  EXPECT_EQ(load()["seed"].as<std::int64_t>(), 3);
  konfig::ConfigDict cfg =
      loader::load({.source = "configargs_demo", .config_args = {{"hidden", 32}}});
  EXPECT_EQ(cfg["seed"].as<std::int64_t>(), 42);
  for (auto& [name, sweep] : loader::load_sweeps({.source = "configargs_demo"})) {
    EXPECT_FALSE(items_of(sweep).empty()) << name;
  }
}

TEST(Docs, LossesAndSummaries) {
  Config<train::Trainer> cfg;
  cfg.train_losses["recon"] = losses::L2{.preds = "preds.image", .targets = "batch.image"};
  cfg.train_losses["small"] = losses::AbsoluteValue{.values = "preds.logits", .weight = 0.1};
  cfg.train_metrics["norms"] =
      metrics::TreeMap{.metric = metrics::Norm{.tensor = "params.**.kernel"}};
  cfg.train_metrics["l1"] = losses::L1{.preds = "preds.image", .targets = "batch.image"};
  cfg.train_summaries["recon"] = summaries::ShowImages{.images = "preds.image", .num_images = 8};
  cfg.train_summaries["depth"] = summaries::ShowImages{.images = "preds.depth", .cmap = "turbo"};
  cfg.train_summaries["both"] = summaries::contrib::ImageGrid{
      .columns = {{"gt", summaries::ShowImages{.images = "batch.image"}},
                  {"pred", summaries::ShowImages{.images = "preds.image"}}}};
  EXPECT_EQ(built(cfg)->train_summaries.size(), 3u);
}

TEST(Docs, Optim) {
  Config<train::Trainer> cfg;
  cfg.num_train_steps = 1000;
  auto lr = node(optim::WarmupCosineDecay{.peak_value = 1e-3, .warmup_steps = 500});
  cfg[lr->decay_steps] = cfg.ref(cfg.num_train_steps);
  cfg.schedules["learning_rate"] = lr;
  cfg.optimizer = optim::NamedChain{
      {{"clip", optim::ClipByGlobalNorm{1.0}},
       {"adam",
        optim::AdamW{.learning_rate = lr, .weight_decay = 0.05, .mask = optim::Select{"kernel"}}},
       {"ema", optim::EmaParams{.decay = 0.999}}}};
  EXPECT_EQ(built(cfg)->optimizer.as<optim::NamedChain>().transforms.size(), 3u);
}

TEST(Docs, RunFiles) {
  Config<train::Trainer> cfg;
  cfg.checkpointer = ckpts::Checkpointer{.save_interval_steps = 500, .max_to_keep = 3};
  cfg.init_transform = ckpts::PartialKauldronLoader{.workdir = "runs/pretrained",
                                                    .new_to_old = {{"params.model", "params"}},
                                                    .ignore_restored_keys = {"head.**"}};
  cfg.writer = train::KDMetricWriter{};
  cfg.writer = train::WandbWriter{.project = "digits", .name = "baseline"};
  cfg.profiler = inspect::Profiler{.num_profile_steps = 5, .first_profile = 10};
  cfg.exporter = exports::ModelExporter{};
  cfg.rng_streams =
      train::RngStreams{.stream_overwrites = {{.name = "dropout", .train = false, .eval = true},
                                              {.name = "my_custom_stream"}}};
  auto trainer = built(cfg);
  EXPECT_EQ(trainer->checkpointer.as<ckpts::Checkpointer>().max_to_keep, 3);
  EXPECT_EQ(trainer->rng_streams.stream_overwrites.size(), 2u);
}

TEST(Docs, SeveralOptimizers) {
  Config<train::Trainer> cfg;
  cfg.train_losses["discriminator"] =
      losses::L2{.preds = "preds.scores", .targets = "preds.score_targets"};
  cfg.train_losses["generator"] =
      losses::L2{.preds = "preds.fake_score", .targets = "preds.fake_target"};
  cfg.optimizer = optim::MultiOptimizer{
      {{"discriminator", optim::PartialUpdates{.optimizer = optim::Adam{.learning_rate = 2e-3},
                                               .mask = optim::Select{"discriminator"}}},
       {"generator", optim::PartialUpdates{.optimizer = optim::Adam{.learning_rate = 4e-3},
                                           .mask = optim::Select{"generator"}}}}};
  cfg.trainstep = train::MultiTrainStep{};
  EXPECT_TRUE(built(cfg)->trainstep.holds<train::MultiTrainStep>());
}

konfig::ConfigDict eval_only_config(const data::py::Tfds& test_ds) {
  Config<train::Trainer> cfg;
  cfg.evals["test"] = evals::Evaluator{.run = evals::StandaloneLastCheckpoint{}, .ds = test_ds};
  return train::eval_only(cfg, "runs/a");
}

TEST(Docs, Evals) {
  Config<train::Trainer> cfg;
  data::py::Tfds test_ds{
      .name = "fashion_mnist", .split = "test", .shuffle = false, .batch_size = 256};
  cfg.evals["eval"] = evals::Evaluator{.run = evals::EveryNSteps{100}, .ds = test_ds};
  cfg.evals["quick"] = evals::Evaluator{.run = evals::EveryNSteps{10},
                                        .num_batches = 4,
                                        .ds = test_ds,
                                        .metrics = {},
                                        .summaries = {}};
  cfg.evals["last"] = evals::Evaluator{.run = evals::Final{}, .ds = test_ds};
  cfg.evals["own_job"] = evals::Evaluator{.run = evals::StandaloneEveryCheckpoint{}, .ds = test_ds};
  EXPECT_EQ(built(cfg)->evals.size(), 4u);
  const konfig::ConfigDict only = eval_only_config(test_ds);
  EXPECT_EQ(only["aux"]["xid"].as<std::string>(), "runs/a");
}

}  // namespace
