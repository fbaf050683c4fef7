// The code of the pages in docs/ that computes; tests/docs_test.cc holds the pages to it.
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/zeros_like.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>

#include "base/temp_folder.h"
#include "kd/ckpts/engine/manager.h"
#include "kd/core/grad.h"
#include "kd/core/ops.h"
#include "kd/data/engine/batch.h"
#include "kd/data/engine/dataset.h"
#include "kd/data/engine/records.h"
#include "kd/data/engine/transform.h"
#include "kd/exports/engine/model.h"
#include "kd/model.h"
#include "kd/optim/engine/stepper.h"
#include "kd/optim/engine/transform.h"
#include "kd/optim/schedule.h"
#include "kd/random/sample.h"
#include "kd/train/engine/train.h"
#include "kd/train/engine/train_step.h"

using namespace kd;

// data.md
struct Waves {
  int n = 1000;         // how many
  double longest = 20;  // wave, in samples

  std::int64_t size() const { return n; }
  Tree record(std::int64_t i) const {
    const double length = longest * static_cast<double>(i + 1) / n;
    return Tree::dict({{"signal", at::sin(at::arange(64, at::kFloat) * (6.2832 / length))},
                       {"length", at::full({}, length, at::kFloat)}});
  }
};
KD_COMPONENT(kd::Source, Waves);

data::py::DataSource ds{.data_source = Waves{.n = 200}, .shuffle = true, .batch_size = 32};

struct Invert {
  Required<data::ElementKey> key;
  static constexpr bool maps_batches = true;
  Tensor map_element(const Tensor& x) const { return 255 - x; }
};
KD_COMPONENT(kd::Transform, Invert);

// optim.md
struct ClipByValue {
  double most = 1.0;
  Tree update(const Tree& grads) const {
    return map(grads, [&](const Tensor& g) { return g.clamp(-most, most); });
  }
};
KD_COMPONENT(kd::Optimizer, ClipByValue);

struct Momentum {
  double decay = 0.9;
  Tree init(const Tree& params) const {
    return map(params, [](const Tensor& p) { return at::zeros_like(p); });
  }
  optim::Update update(const Tree& grads, const Tree& state, const Tree&) const {
    Tree trace =
        zip_map(grads, state, [&](const Tensor& g, const Tensor& t) { return g + decay * t; });
    return {trace, trace};
  }
};
KD_COMPONENT(kd::Optimizer, Momentum);

// train.md
struct Twice {
  train::StepResult step(train::StepRun& run, train::TrainState state, const Tree& batch,
                         const train::Returns& returns) const {
    train::StepResult first = run.usual_step(std::move(state), batch, {});
    return run.usual_step(std::move(first.state), batch, returns);
  }
};
KD_COMPONENT(kd::TrainStepFn, Twice);

// coming_from_pytorch.md
namespace pytorch_page {
struct Mlp : nn::Module<Mlp> {
  Key x = "batch.signal";
  int hidden = 32;

  Tensor call(Float<"*b n"> x) const {
    Tensor h = nn::relu(nn::Dense{.features = hidden}(x));
    h = nn::Dropout{.rate = 0.1}(h);
    return nn::Dense{.features = 1}(h);
  }
};
}  // namespace pytorch_page
KD_COMPONENT(kd::Module, pytorch_page::Mlp);

// typing.md
namespace typing_page {
struct Mlp : nn::Module<Mlp> {
  int features = 10;
  Float<"*b {features}"> call(Float<"*b h w c"> image, std::optional<Bool<"*b">> mask) const {
    return nn::Dense{.features = features}(nn::flatten(image)) * (mask ? 1 : 0);
  }
};
Float<"*b n"> logits(Float<"*b n"> image, Float<"n n"> kernel) { return image.matmul(kernel); }
}  // namespace typing_page

namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class DocsCode : public ::testing::Test {
 protected:
  DocsCode() { fs::current_path(folder_); }
  ~DocsCode() override { fs::current_path("/"); }
  base::TempFolder temp_{"kd_docs_"};
  fs::path folder_ = temp_.path();
};

TEST_F(DocsCode, Data) {
  auto use = [](const Tensor& images) { EXPECT_EQ(images.size(0), 256); };
  data::py::Tfds cfg{.name = "fashion_mnist",
                     .split = "train[:90%]",
                     .shuffle = true,
                     .num_epochs = std::nullopt,
                     .transforms = {data::Elements{.keep = {"image", "label"}},
                                    data::ValueRange{.key = "image", .vrange = {{0, 1}}}},
                     .batch_size = 256,
                     .seed = 42};

  data::Dataset ds = data::open(Poly<Pipeline>(cfg));
  std::cout << data::spec_text(ds.element_spec());
  for (const Tree& batch : ds.take(10)) use(batch["image"].tensor());

  data::Iterator it = ds.iterate(), other = ds.iterate();
  std::optional<Tree> batch = it.next();
  std::string state = it.state();
  other.restore(state);
  EXPECT_EQ(it.records().size(), 256u);
  EXPECT_TRUE(other.next()->at("image").tensor().equal(it.next()->at("image").tensor()));
}

TEST_F(DocsCode, DataOfOnesOwn) {
  Invert invert{.key = data::ElementKey("signal")};
  ds.transforms = {invert};
  const data::Dataset waves = data::open(Poly<Pipeline>(ds));
  EXPECT_EQ(data::spec_text(waves.element_spec()), "length: float32[32]\nsignal: float32[32 64]\n");
  const Tensor signal = waves.iterate().next()->at("signal").tensor();
  EXPECT_EQ(signal.size(0), 32);
  EXPECT_GE(signal.min().item<float>(), 253.9f);
}

TEST_F(DocsCode, Checkpoints) {
  Tree state = Tree::dict({{"x", Tree(at::ones({3}))}});
  {
    ckpts::Manager manager(ckpts::Checkpointer{.save_interval_steps = 500}, "runs/a");
    if (manager.latest_step()) state = manager.restore().state;
    for (std::int64_t step = 0; step < 1000; ++step) {
      if (manager.should_save(step)) manager.save(step, {.state = state});
    }
    manager.wait_until_finished();
    EXPECT_EQ(manager.all_steps(), (std::vector<std::int64_t>{0, 500}));
  }
}

TEST_F(DocsCode, Optim) {
  Tree params = Tree::dict({{"w", Tree(at::ones({3}))}}), grads = params;
  for (const Poly<Optimizer>& optimizer :
       {Poly<Optimizer>(Momentum{}), Poly<Optimizer>(ClipByValue{})}) {
    Config<train::Trainer> cfg;
    cfg.schedules["learning_rate"] = optim::WarmupCosineDecay{.peak_value = 1, .decay_steps = 10};
    const std::int64_t step = 0;
    Tree state = optim::init(optimizer, params);
    auto [updates, next] = optim::update(optimizer, grads, state, params);
    params = optim::apply_updates(params, updates);
    double now = cfg.schedules.at("learning_rate")(step);
    EXPECT_EQ(now, 1);
  }
  EXPECT_EQ(params["w"].tensor()[0].item<float>(), 3);
  const Poly<Optimizer> optimizer = optim::Sgd{.learning_rate = 1.0};
  optim::Stepper stepper(optimizer);
  Tree state = stepper.init(params);
  stepper.step(params, grads, state);
  EXPECT_EQ(params["w"].tensor()[0].item<float>(), 2);
}

TEST_F(DocsCode, Random) {
  const std::uint32_t step = 3;
  random::Key root = random::key(42);
  auto [a, b] = random::split<2>(root);
  random::Key drop = fold_in(fold_in(root, "dropout"), step);

  Tensor kernel = random::normal(a, {784, 128});
  Tensor mask = random::bernoulli(drop, {8, 128}, 0.9);
  Tensor order = random::permutation(b, 60000);
  EXPECT_EQ(order.max().item<std::int64_t>(), 59999);
  EXPECT_TRUE(kernel.equal(random::normal(a, {784, 128})));
  EXPECT_EQ(mask.numel(), 1024);
}

TEST_F(DocsCode, Losses) {
  Map<Poly<Loss>> train_losses;
  train_losses["l2"] = losses::L2{.preds = "preds.logits", .targets = "batch.targets"};
  const Tensor labels = at::arange(2, at::kInt).reshape({2, 1}), logits = at::ones({2, 3});
  const Tree context = Tree::dict({{"batch", Tree::dict({{"label", labels}, {"targets", logits}})},
                                   {"preds", Tree::dict({{"logits", logits}})}});
  const Tree& next_context = context;
  auto [total, states] = losses::compute_losses(train_losses, context);
  EXPECT_EQ(total.item<float>(), 0);

  Poly<Metric> metric = metrics::Accuracy{.labels = "batch.label", .logits = "preds.logits"};
  Tree value = metric(context);
  metrics::State state = metrics::get_state(metric, context);
  state = std::move(state).merge(metrics::get_state(metric, next_context));
  value = state.finalize().compute();
  metrics::get_state(metric, {{"labels", labels}, {"logits", logits}});
  EXPECT_EQ(value.tensor().item<float>(), 0.5f);
}

TEST_F(DocsCode, Typing) {
  using namespace typing_page;
  {
    const Tensor image = at::ones({2, 3}), kernel = at::ones({3, 3});
    EXPECT_EQ(typing::checked<logits>(image, kernel).sum().item<float>(), 18);
  }
  const Tensor image = at::ones({2, 3, 3, 1}), mask = at::ones({7}, at::kBool);
  Mlp mlp;
  try {
    typing::checked<&Mlp::call>(mlp, image, mask);
    FAIL();
  } catch (const konfig::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("Mlp.call: argument 2 is no Bool<\"*b\">"));
  }
  auto f = typing::checked_function(
      "f", [](Float<"n"> x) -> Float<"n"> { return 2 * x; });
  const Float<"n"> x = at::ones({2}), y = f(x);
  typing::checked_values(x, y);
  EXPECT_EQ(y.sum().item<float>(), 4);
  auto g = typing::checked_function(
      "g", [](Float<"*b h"> x) -> Tensor { return x.new_zeros(typing::shape<"*b h*2">()); });
  EXPECT_EQ(g(at::ones({3, 2})).size(1), 4);
}

// A trainer whose model learns the length of the waves.
Config<train::Trainer> waves_config() {
  Config<train::Trainer> cfg;
  cfg.train_ds = data::py::DataSource{
      .data_source = Waves{.n = 64},
      .shuffle = true,
      .transforms = {data::Rearrange{.key = "length", .pattern = "... -> ... 1"}},
      .batch_size = 16};
  cfg.model = pytorch_page::Mlp{.x = "batch.signal"};
  cfg.num_train_steps = 3;
  cfg.train_losses["l2"] = losses::L2{.preds = "preds", .targets = "batch.length"};
  cfg.optimizer = optim::Adam{.learning_rate = 1e-3};
  cfg.workdir = "runs/a";
  cfg.exporter = exports::ModelExporter{};
  return cfg;
}

TEST_F(DocsCode, LoopsOfOnesOwn) {
  const konfig::ConfigDict cfg = konfig::lower(waves_config());
  auto trainer = konfig::resolve<train::Trainer>(cfg);
  train::StepRun run(*trainer);
  train::TrainState state = run.init();
  for (const Tree& batch : data::open(trainer->train_ds).device_put()) {
    auto [next, aux, loss, skipped] = run.step(std::move(state), batch, {.metrics = true});
    state = std::move(next);
    EXPECT_GT(loss, 0);
    if (state.step == *trainer->num_train_steps) break;
  }
  EXPECT_EQ(state.step, 3);
}

TEST_F(DocsCode, StepsAndExports) {
  Config<train::Trainer> cfg = waves_config();
  cfg.trainstep = Twice{};
  train::train(*konfig::resolve<train::Trainer>(konfig::lower(cfg)));
  const Tensor images = at::ones({2, 64});
  const kd::Model model = kd::load_model("runs/a/train_model");
  const kd::Tree preds = model(kd::Tree::dict({{"signal", images}}));
  EXPECT_EQ(preds.tensor().size(0), 2);
}

TEST_F(DocsCode, FromPyTorch) {
  const Tensor x = at::ones({4, 8}), y = at::ones({4, 1});
  pytorch_page::Mlp model;
  Tree variables = model.init({.rngs = random::key(0), .is_training_property = true}, x);
  Tree params = variables["params"];
  Poly<Optimizer> optimizer = optim::Adam{.learning_rate = 1e-2};
  optim::Stepper stepper(optimizer);
  Tree state = stepper.init(params);
  double first = 0, last = 0;
  for (std::uint32_t step = 0; step < 50; ++step) {
    Tree tracked_params = tracked(params);
    Tensor out = model.apply(
        Tree::dict({{"params", tracked_params}}),
        {.rngs = {{"dropout", fold_in(random::key(1), step)}}, .is_training_property = true}, x);
    Tensor loss = (out - y).pow(2).mean();
    stepper.step(params, grad(loss, tracked_params), state);
    (step == 0 ? first : last) = loss.item<double>();
  }
  EXPECT_LT(last, first);
}

}  // namespace
