// The sentences of the introduction and of "Train, eval, randomness" that say what a run computes:
// docs/seeds.md says which test is which sentence.
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kd/core/ops.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/engine/records.h"
#include "kd/model.h"
#include "kd/optim/engine/transform.h"
#include "kd/train/engine/train_step.h"
#include "konfig/expect_test.h"
#include "kontext/path_builder.h"

namespace my_project {

using namespace kd;

// Pictures of one pixel with a number, as floats.
struct Pictures {
  int n = 12;
  std::int64_t size() const { return n; }
  Tree record(std::int64_t i) const {
    const auto value = static_cast<double>(i);
    return Tree::dict({{"image", at::full({1, 1, 1}, value, at::kFloat)},
                       {"depth", at::full({1, 1, 1}, value * 10 + 1, at::kFloat)},
                       {"wide", at::full({2}, value, at::kDouble)}});
  }
};

// Two inputs, of which the order matters: image * scale - depth.
struct Difference : nn::Module<Difference> {
  Key image = Key::required();
  Key depth = Key::required();
  Tree call(const Tensor& image, const Tensor& depth) const {
    const Tensor scaled = nn::named("scale", nn::Dense{.features = 1, .use_bias = false})(image);
    const Tensor out = scaled - depth;
    return Tree::dict({{"image", out},
                       {"cameras", Tree::list({Tree::dict({{"pos", out * 2}}),
                                               Tree::record("Camera", {{"pos", out * 3}})})}});
  }
};

// What is measured is kept in a metric: the mean of a tensor.
struct Mean {
  Key tensor = Key::required();
  metrics::AverageState get_state(Array<"*any"> tensor) const {
    return metrics::AverageState::from_values(tensor);
  }
};

// A model of this project.
struct Kauldron : nn::Module<Kauldron> {
  static constexpr nn::TrainProperty is_training{};
  Tensor call(const Tensor& x) const { return nn::Dropout{.rate = 0.5}(is_training ? x + 1 : x); }
};

// A model of another kind: a plain class with the flag that its callers hand down.
class Foreign {
 public:
  Tensor operator()(const Tensor& x, bool train) const {
    const nn::set_train_property scope(train);
    return model_.apply(Tree(), {.rngs = {{"dropout", random::key(1)}}}, x * 2);
  }

 private:
  Kauldron model_;
};

// A module that does not know the train property and takes a flag instead.
struct TakesAFlag : nn::Module<TakesAFlag> {
  Poly<kd::Module> inner = {};
  Tensor call(const Tensor& x, bool train) const {
    const nn::set_train_property scope(train);
    return inner(x);
  }
};

// Reads the property before, inside and after a block.
struct Around : nn::Module<Around> {
  static constexpr nn::TrainProperty is_training{};
  Tensor call(const Tensor& x) const {
    Tensor out = x + (is_training ? 1 : 0);
    {
      const nn::set_train_property frozen(false);
      out = out + (is_training ? 10 : 0);
    }
    return out + (is_training ? 100 : 0);
  }
};

}  // namespace my_project

KD_COMPONENT(kd::Source, my_project::Pictures);
KD_COMPONENT(kd::Module, my_project::Difference);
KD_COMPONENT(kd::Module, my_project::Kauldron);
KD_COMPONENT(kd::Metric, my_project::Mean);

namespace {

using namespace kd;
using ::testing::AllOf;
using ::testing::HasSubstr;

data::py::DataSource pictures(bool shuffle = false) {
  return {.data_source = my_project::Pictures{}, .shuffle = shuffle, .batch_size = 4};
}

Config<train::Trainer> config() {
  Config<train::Trainer> cfg;
  cfg.seed = 42;
  cfg.train_ds = pictures();
  cfg.model = my_project::Difference{.image = "batch.image", .depth = "batch.depth"};
  cfg.num_train_steps = 3;
  cfg.train_losses["l2"] = losses::L2{.preds = "preds.image", .targets = "batch.image"};
  cfg.optimizer = optim::Sgd{.learning_rate = 0.125};
  return cfg;
}

std::shared_ptr<const train::Trainer> resolved(const Config<train::Trainer>& cfg) {
  return konfig::resolve<train::Trainer>(konfig::lower(cfg));
}

// One step on the first batch, with the only parameter set to 3.
struct OneStep {
  explicit OneStep(const Config<train::Trainer>& cfg)
      : trainer(resolved(cfg)), run(*trainer), state(run.init()) {
    state.params["scale"]["kernel"].tensor().fill_(3);
    batch = *data::open(trainer->train_ds).device_put().iterate().next();
    result = run.step(state, batch, {.metrics = true, .summaries = true});
    values = train::compute(result.aux);
  }
  double value(const std::string& name) const { return values.find(name).value(); }

  std::shared_ptr<const train::Trainer> trainer;
  train::StepRun run;
  train::TrainState state;
  Tree batch;
  train::StepResult result;
  train::AuxValues values;
};

// optimizer = konfig.resolve(cfg): what it is told to do, it does.
TEST(Seeds, TheResolvedOptimizerUpdates) {
  konfig::ConfigDict cfg{{"__qualname__", "optax:adam"}, {"learning_rate", 0.003}};
  cfg["learning_rate"] = 1e-4;
  const auto optimizer = konfig::load<Poly<Optimizer>>(konfig::resolve(konfig::Value(cfg)));
  const Tree params = Tree::dict({{"w", at::ones({2})}});
  const Tree grads = Tree::dict({{"w", at::arange(2, at::kFloat) * 6 - 3}});  // -3, 3
  const auto [updates, state] =
      optim::update(optimizer, grads, optim::init(optimizer, params), params);
  // Adam's first step is the learning rate against the sign of the gradient.
  EXPECT_NEAR(updates["w"].tensor()[0].item<double>(), 1e-4, 1e-9);
  EXPECT_NEAR(updates["w"].tensor()[1].item<double>(), -1e-4, 1e-9);
  const Tree next = optim::apply_updates(params, updates);
  EXPECT_NEAR(next["w"].tensor()[1].item<double>(), 1 - 1e-4, 1e-7);
}

// preds = model(image=batch['image'], depth=batch['depth'])
// loss = train_loss(preds=preds['image'], targets=batch['image'])
TEST(Seeds, KeysPassWhatTheyLeadTo) {
  const OneStep step(config());
  double sum = 0;
  for (int i = 0; i < 4; ++i) {  // 3 i - (10 i + 1), compared with i
    const double off = 3 * i - (10 * i + 1) - i;
    sum += off * off;
  }
  EXPECT_NEAR(step.value("losses/l2"), sum / 4, 1e-3);
  // Names and not places connect: with the keys swapped the values are.
  Config<train::Trainer> swapped = config();
  swapped.model = my_project::Difference{.image = "batch.depth", .depth = "batch.image"};
  sum = 0;
  for (int i = 0; i < 4; ++i) {
    const double off = 3 * (10 * i + 1) - i - i;
    sum += off * off;
  }
  EXPECT_NEAR(OneStep(swapped).value("losses/l2"), sum / 4, 1e-2);
}

// Each key starts with a registered prefix.
TEST(Seeds, PrefixesOfKeys) {
  Config<train::Trainer> cfg = config();
  cfg.train_metrics["batch"] = my_project::Mean{.tensor = "batch.depth"};
  cfg.train_metrics["preds"] = my_project::Mean{.tensor = "preds.image"};
  cfg.train_metrics["params"] = my_project::Mean{.tensor = "params.scale.kernel"};
  cfg.train_metrics["interms"] = my_project::Mean{.tensor = "interms.scale.__call__[0]"};
  const OneStep step(cfg);
  EXPECT_NEAR(step.value("metrics/batch"), 16, 1e-5);     // of 1, 11, 21, 31
  EXPECT_NEAR(step.value("metrics/preds"), -11.5, 1e-5);  // of -1, -8, -15, -22
  EXPECT_NEAR(step.value("metrics/params"), 3, 1e-5);
  EXPECT_NEAR(step.value("metrics/interms"), 4.5, 1e-5);  // of 0, 3, 6, 9
  // A weight decay as a loss on parameters.
  cfg.train_losses["decay"] =
      losses::L2{.preds = "params.scale.kernel", .targets = "params.scale.kernel"};
  cfg.train_losses["l1"] =
      losses::L1{.preds = "interms.scale.__call__[0]", .targets = "batch.depth"};
  const OneStep more(cfg);
  EXPECT_NEAR(more.value("losses/decay"), 0, 1e-9);
  EXPECT_NEAR(more.value("losses/l1"), 11.5, 1e-4);  // on the output of a layer
  cfg = config();
  cfg.train_losses["l2"] = losses::L2{.preds = "outcome.image", .targets = "batch.image"};
  EXPECT_THAT(konfig::error_of([&] { OneStep step(cfg); }),
              AllOf(HasSubstr("l2.preds"), HasSubstr("'outcome'"), HasSubstr("batch"),
                    HasSubstr("preds"), HasSubstr("params"), HasSubstr("interms")));
}

// `preds.cameras[0].pos`; `a.b` finds a key of a dict and a field of a record alike.
TEST(Seeds, KeysAreNested) {
  Config<train::Trainer> cfg = config();
  cfg.train_metrics["dict"] = my_project::Mean{.tensor = "preds.cameras[0].pos"};
  cfg.train_metrics["record"] = my_project::Mean{.tensor = "preds.cameras[1].pos"};
  const OneStep step(cfg);
  EXPECT_NEAR(step.value("metrics/dict"), -23, 1e-4);
  EXPECT_NEAR(step.value("metrics/record"), -34.5, 1e-4);
}

// Rather than texts, keys are written as members of the structs that they lead into.
TEST(Seeds, StructuredKeys) {
  struct Camera {
    Tensor pos;
  };
  struct Preds {
    std::vector<Camera> cameras;
  };
  const auto preds = kontext::path_builder_from<Preds>("preds");
  Config<train::Trainer> cfg = config();
  cfg.train_metrics["dict"] = my_project::Mean{.tensor = preds[&Preds::cameras][0][&Camera::pos]};
  EXPECT_EQ(resolved(cfg)->train_metrics.at("dict").as<my_project::Mean>().tensor,
            Key("preds.cameras[0].pos"));
  EXPECT_NEAR(OneStep(cfg).value("metrics/dict"), -23, 1e-4);
}

// One seed gives those of the data and of the parameters; a part may have its own.
TEST(Seeds, ASeedReachesAllParts) {
  auto run = [](int seed, std::optional<int> of_data) {
    Config<train::Trainer> cfg = config();
    cfg.seed = seed;
    cfg.train_ds = pictures(true);
    if (of_data) cfg.train_ds.as<data::py::DataSource>().seed = *of_data;
    const auto trainer = resolved(cfg);
    const Tree batch = *data::open(trainer->train_ds).iterate().next();
    return std::pair(batch["image"].tensor(),
                     train::StepRun(*trainer).init().params["scale"]["kernel"].tensor());
  };
  const auto [data, params] = run(42, {});
  const auto [again_data, again_params] = run(42, {});
  EXPECT_TRUE(at::equal(data, again_data) && at::equal(params, again_params));
  const auto [other_data, other_params] = run(43, {});
  EXPECT_FALSE(at::equal(data, other_data));
  EXPECT_FALSE(at::equal(params, other_params));
  const auto [own_data, own_params] = run(43, 42);
  EXPECT_TRUE(at::equal(data, own_data));
  EXPECT_TRUE(at::equal(other_params, own_params));
}

// .device_put() is chained with the dataset, and gives what the device computes with.
TEST(Seeds, DevicePutIsChained) {
  const data::Dataset plain = data::open(Poly<Pipeline>(pictures()));
  const Tree before = *plain.iterate().next(), after = *plain.device_put().iterate().next();
  EXPECT_EQ(before["wide"].tensor().scalar_type(), at::kDouble);
  EXPECT_EQ(after["wide"].tensor().scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(before["wide"].tensor().to(at::kFloat), after["wide"].tensor()));
  EXPECT_TRUE(at::equal(before["image"].tensor(), after["image"].tensor()));
  EXPECT_EQ(plain.device_put().take(2).size(), 2);
}

// kd.nn.set_train_property calls a model of this project inside another one.
TEST(Seeds, InsideAForeignModel) {
  const Tensor x = at::ones({64});
  const my_project::Foreign model;
  EXPECT_TRUE(at::equal(model(x, false), x * 2));
  const Tensor trained = model(x, true);  // half of it dropped, the rest doubled
  EXPECT_TRUE(at::equal(trained, (x * 2 + 1) * 2 * (trained != 0)));
  EXPECT_GT((trained == 0).sum().item<int>(), 10);
  EXPECT_GT((trained != 0).sum().item<int>(), 10);
  EXPECT_TRUE(at::equal(model(x, false), x * 2));  // nothing of it stays
  // Nor without a block around it.
  EXPECT_THAT(konfig::error_of([&] { my_project::Kauldron{}.apply(Tree(), {}, x); }),
              HasSubstr("is_training_property"));
  const my_project::TakesAFlag flagged{.inner = my_project::Kauldron{}};
  const nn::With with{.rngs = {{"dropout", random::key(1)}}};
  EXPECT_TRUE(at::equal(flagged.apply(Tree(), with, x, false).out, x));
  EXPECT_FALSE(at::equal(flagged.apply(Tree(), with, x, true).out, x));
}

TEST(Seeds, ABlockEnds) {
  auto value = [](bool training) {
    const nn::With with{.is_training_property = training};
    return my_project::Around{}.apply(Tree(), with, at::zeros({1})).out.item<float>();
  };
  EXPECT_EQ(value(true), 101);
  EXPECT_EQ(value(false), 0);
}

// `trainstep` may bring its optimizer; it is used in place of the trainer's.
TEST(Seeds, AStepWithItsOwnOptimizer) {
  auto kernel = [](const Config<train::Trainer>& cfg) {
    return OneStep(cfg).result.state.params["scale"]["kernel"].tensor().item<double>();
  };
  const double usual = kernel(config());
  Config<train::Trainer> cfg = config();
  cfg.optimizer = {};
  cfg.trainstep = train::TrainStep{.optimizer = optim::Sgd{.learning_rate = 0.125}};
  EXPECT_EQ(kernel(cfg), usual);
  cfg.optimizer = optim::Sgd{.learning_rate = 0.5};
  EXPECT_EQ(kernel(cfg), usual);
  cfg.trainstep = train::TrainStep{};
  EXPECT_NEAR(kernel(cfg) - 3, 4 * (usual - 3), 1e-3);
}

}  // namespace
