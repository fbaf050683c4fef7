// Small runs: what each step checks, what is logged when, and where a run may begin and stop.
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sign.h>

#include "kd/optim/combine.h"
#include "kd/train/engine/checkify.h"
#include "kd/train/eval_only.h"
#include "kd/train/training_test.h"

namespace training_test {

// Has a parameter that is no floating point number.
struct Numbered : nn::Module<Numbered> {
  Key x = Key::required();
  Tree call(const Tensor& x) const {
    const Tensor n = nn::param("n", {}, nn::initializers::ones(), at::kInt);
    return Tree::dict({{"y", nn::named("dense", nn::Dense{.features = 1})(x) * n}});
  }
};

// Divides by zero, and hides it.
struct Divided : nn::Module<Divided> {
  Key x = Key::required();
  Tree call(const Tensor& x) const {
    const Tensor y = nn::named("dense", nn::Dense{.features = 1})(x);
    return Tree::dict({{"y", y + (1 / (y * 0)).detach().isnan().to(at::kFloat)}});
  }
};

}  // namespace training_test
KD_COMPONENT(kd::Module, training_test::Numbered);
KD_COMPONENT(kd::Module, training_test::Divided);

namespace training_test {
namespace {

TEST_F(Training, ChecksOfEachStep) {
  Config<Trainer> cfg = config();
  cfg.train_ds = dataset(true, /*bad=*/17);
  cfg.on_bad_loss = train::OnBadLoss::ignore;
  konfig::ConfigDict checked = konfig::lower(cfg);
  checked["checkify_error_categories"] =
      konfig::ConfigDict{{"__const__", "jax.experimental.checkify:all_checks"}};
  try {
    train::train(*konfig::resolve<Trainer>(checked));
    ADD_FAILURE();
  } catch (const konfig::Error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("preds.y (NaN)"), HasSubstr("bad_batch_"),
                                HasSubstr("checkify_error_categories")));
  }
  // In evaluations, too.
  Config<Trainer> evaluated = config();
  evaluated.checkify_error_categories = konfig::List{"nan"};
  evaluated.eval_ds = dataset(false, /*bad=*/17);
  EXPECT_THAT(error_of(evaluated), AllOf(HasSubstr("evals.eval"), HasSubstr("preds.y (NaN)")));
  // Division by zero alone leaves NaN alone.
  cfg.checkify_error_categories = konfig::List{"div"};
  EXPECT_EQ(error_of(cfg), "");
  cfg.checkify_error_categories = konfig::List{"nam"};
  EXPECT_THAT(error_of(cfg),
              AllOf(HasSubstr("checkify_error_categories"), HasSubstr("did you mean 'nan'")));
}

TEST_F(Training, DivisionsByZeroAndWrongLabelsAreFound) {
  Config<Trainer> cfg = config();
  cfg.model = Divided{.x = "batch.x"};
  EXPECT_EQ(error_of(cfg), "");
  fs::remove_all(folder_ / "run");
  cfg.checkify_error_categories = konfig::List{"div"};
  EXPECT_THAT(error_of(cfg),
              AllOf(HasSubstr("a division by zero (the divisor has the shape (8, 1))"),
                    HasSubstr("checkify_error_categories")));
  fs::remove_all(folder_ / "run");
  cfg.model = Linear{.x = "batch.x"};
  EXPECT_EQ(error_of(cfg), "");

  const losses::SoftmaxCrossEntropyWithIntLabels loss{.logits = "preds.y", .labels = "batch.n"};
  auto error_with = [&](const train::Checks& checks) {
    const train::Watch watch(checks);
    return konfig::error_of([&] {
      loss.get_values(at::full({2, 3}, 1.0), at::full({2, 1}, 7, at::kLong));
    });
  };
  EXPECT_EQ(error_with({}), "");
  EXPECT_EQ(error_with({.index = true}),
            "cfg.labels: expected 0 to 2, found 7, which checkify_error_categories forbids");
}

// The optimizer of the step is the one that is used.
TEST_F(Training, AStepMayHaveItsOwnOptimizer) {
  Config<Trainer> cfg = config(3);
  cfg.optimizer = optim::Sgd{.learning_rate = 0.1};
  const Tree wanted = train::train(*resolved(cfg)).state.params;
  fs::remove_all(folder_ / "run");
  cfg.optimizer = {};
  cfg.trainstep = train::TrainStep{.optimizer = optim::Sgd{.learning_rate = 0.1}};
  EXPECT_TRUE(same(train::train(*resolved(cfg)).state.params, wanted));
}

// What is saved for going on stays, whatever the options keep.
TEST_F(Training, StoppedRunsAreKept) {
  const auto best = ckpts::Checkpointer{.save_interval_steps = 4,
                                        .max_to_keep = 1,
                                        .best_metric_path = "eval.losses.total",
                                        .best_mode = ckpts::BestMode::min};
  const auto policy = ckpts::Checkpointer{
      .save_interval_steps = 4, .preservation_policy = ckpts::EveryNSteps{.interval_steps = 4}};
  for (const ckpts::Checkpointer& options : {best, policy}) {
    Config<Trainer> cfg = config();
    cfg.workdir = (folder_ / (options.best_metric_path ? "best" : "policy")).string();
    cfg.checkpointer = options;
    auto first = train::train(*resolved(cfg), stop_after(7));
    EXPECT_EQ(first.saved, 7);
    EXPECT_TRUE(fs::exists(fs::path(*cfg.workdir) / "checkpoints/ckpt_7"));
    Log log;
    auto second = train::train(*resolved(cfg), {.on_event = std::ref(log)});
    EXPECT_EQ(log.order.front(), "eval 8");
    EXPECT_EQ(second.state.step, 13);
  }
}

TEST_F(Training, TheBestMetricIsCheckedBeforeTheFirstStep) {
  Config<Trainer> cfg = config();
  auto error = [&](const char* path, int interval) {
    cfg.checkpointer = ckpts::Checkpointer{
        .save_interval_steps = interval, .max_to_keep = 2, .best_metric_path = path};
    return error_of(cfg);
  };
  EXPECT_THAT(error("evl.norm", 4), HasSubstr("no evaluator 'evl'; did you mean 'eval'"));
  EXPECT_THAT(error("eval.nrm", 4),
              AllOf(HasSubstr("checkpointer.best_metric_path"),
                    HasSubstr("no metric of evals.eval 'nrm'"), HasSubstr("norm, losses")));
  EXPECT_THAT(error("eval.losses.ft", 4), HasSubstr("did you mean 'fit'"));
  EXPECT_THAT(error("eval.norm", 3), HasSubstr("evals.eval does not run at step 3"));
  EXPECT_FALSE(fs::exists(folder_ / "run"));
  EXPECT_EQ(error("eval.norm", 4), "");
}

TEST_F(Training, WhatIsLoggedWhen) {
  Config<Trainer> cfg = config(6);
  cfg.log_metrics_every = 4;
  cfg.log_summaries_every = 3;
  cfg.train_summaries["y"] = summaries::HistogramSummary{.tensor = "preds.y"};
  cfg.schedules["lr"] =
      optim::LinearSchedule{.init_value = 1.0, .end_value = 0.0, .transition_steps = 10};
  std::map<std::int64_t, std::set<std::string>> names;
  std::map<std::int64_t, double> lr;
  std::set<std::int64_t> shown;
  train::train(*resolved(cfg), {.on_event = [&](const Event& e) {
    if (e.kind != Event::Kind::write || e.collection != "train") return;
    for (auto& [name, value] : e.record->scalars) {
      names[e.step].insert(name);
      if (name == "schedules/lr") lr[e.step] = value;
    }
    if (!e.record->histograms.empty()) shown.insert(e.step);
  }});
  EXPECT_EQ(shown, (std::set<std::int64_t>{0, 3, 6}));
  EXPECT_FALSE(names[3].contains("metrics/norm"));
  EXPECT_TRUE(names[3].contains("losses/total"));
  EXPECT_TRUE(names[4].contains("metrics/norm"));
  EXPECT_NEAR(lr[4], 0.6, 1e-6);
  for (const char* name :
       {"steps_per_sec", "total_training_time_hours", "data_points_per_sec_global",
        "data_points_per_sec_per_device", "train/avg_time_sec", "evals_along_train/avg_time_sec"}) {
    EXPECT_TRUE(names[4].contains("perf_stats/" + std::string(name))) << name;
  }
  EXPECT_TRUE(names[0].contains("perf_stats/checkpoint/avg_time_sec"));
  EXPECT_FALSE(names[4].contains("perf_stats/checkpoint/avg_time_sec"));  // none since 3
  // Without losses there is no sum.
  cfg.train_losses.clear();
  cfg.workdir = (folder_ / "none").string();
  Log log;
  train::train(*resolved(cfg), {.on_event = std::ref(log)});
  EXPECT_FALSE(log.values.contains("train/losses/total"));
}

TEST_F(Training, TheTimeOfAllRunsCounts) {
  Config<Trainer> cfg = config(8);
  cfg.stop_after_steps = 6;
  std::vector<double> hours;
  auto watch = [&](const Event& e) {
    if (e.kind != Event::Kind::write || e.collection != "train") return;
    for (auto& [name, value] : e.record->scalars) {
      if (name == "perf_stats/total_training_time_hours") hours.push_back(value);
    }
  };
  auto first = train::train(*resolved(cfg), {.on_event = watch});
  EXPECT_EQ(first.state.step, 6);
  // An absolute bound: the checkpoint of step 5 leaves one step.
  Log log;
  EXPECT_EQ(train::train(*resolved(cfg), {.on_event = std::ref(log)}).state.step, 6);
  EXPECT_THAT(log.order, ::testing::IsEmpty());
  cfg.stop_after_steps = {};
  train::train(*resolved(cfg), {.on_event = watch});
  EXPECT_EQ(hours.size(), 5u);  // 0, 2, 4; 6, 8
  EXPECT_TRUE(std::is_sorted(hours.begin(), hours.end()));
}

TEST_F(Training, AnInitTransformMaySetTheStep) {
  train::train(*resolved(config(10)));
  Config<Trainer> cfg = config(12);
  cfg.workdir = (folder_ / "on").string();
  cfg.init_transform =
      ckpts::PartialKauldronLoader{.workdir = (folder_ / "run").string(),
                                   .new_to_old = {{"step", "step"}, {"params", "params"}}};
  cfg.evals = {};
  Log log;
  auto result = train::train(*resolved(cfg), {.on_event = std::ref(log)});
  EXPECT_THAT(log.order, ElementsAre("save 10", "train 10", "train 12"));
  EXPECT_EQ(result.state.step, 13);
  EXPECT_TRUE(fs::exists(folder_ / "on/element_spec.json"));
}

TEST_F(Training, LossesOnModulesAndParametersThatAreNoFloats) {
  Config<Trainer> cfg = config(2);
  cfg.model = Numbered{.x = "batch.x"};
  cfg.train_losses.clear();
  cfg.optimizer = optim::PartialUpdates{.optimizer = optim::Adam{.learning_rate = 0.05},
                                        .mask = optim::Select{"dense"}};
  cfg.train_losses["inner"] = losses::AbsoluteValue{.values = "interms.dense.__call__[0]"};
  cfg.train_metrics["grad"] =
      metrics::SkipIfMissing{metrics::Norm{.tensor = "grads.dense.kernel", .axis = {}}};
  Log log;
  auto result = train::train(*resolved(cfg), {.on_event = std::ref(log)});
  EXPECT_GT(log.values["train/metrics/grad"][0], 0);
  EXPECT_LT(log.values["train/losses/inner"][2], log.values["train/losses/inner"][0]);
  EXPECT_EQ(result.state.params["n"].tensor().item<int>(), 1);
}

// The second loss is the mean size of the first one's gradient; its own gradient is that of a sum
// of squares, written out.
TEST_F(Training, LaterLossesMayUseEarlierGradients) {
  Config<Trainer> cfg = config(0);
  cfg.model = Linear{.x = "batch.x"};
  cfg.checkpointer = {};
  cfg.evals = {};
  cfg.train_losses["small"] = losses::AbsoluteValue{.values = "subgrads.fit.dense.kernel"};
  cfg.optimizer = optim::MultiOptimizer{
      {{"fit", optim::Sgd{.learning_rate = 0.0}}, {"small", optim::Sgd{.learning_rate = 1.0}}}};
  cfg.trainstep = train::MultiTrainStep{};
  cfg.train_metrics["sub"] = metrics::Norm{.tensor = "subgrads.small.dense.kernel", .axis = {}};
  cfg.train_metrics["update"] =
      metrics::Norm{.tensor = "subupdates.small.dense.kernel", .axis = {}};
  auto trainer = resolved(cfg);
  train::StepRun run(*trainer);
  train::TrainState state = run.init();
  const Tensor w = state.params["dense"]["kernel"].tensor().clone();
  const Tree batch = *data::open(trainer->train_ds).iterate().next();
  const Tensor x = batch["x"].tensor(), y = batch["y"].tensor();
  const Tensor g = at::matmul(x.t(), at::matmul(x, w) - y) * (2.0 / 8);
  const Tensor expected = at::matmul(at::matmul(x.t(), x), at::sign(g)) * (2.0 / 8 / 2);
  auto result = run.step(std::move(state), batch, {.metrics = true});
  const Tensor moved = w - result.state.params["dense"]["kernel"].tensor();
  EXPECT_LT((moved - expected).abs().max().item<float>(), 1e-6);
  const train::AuxValues values = train::compute(result.aux);
  EXPECT_NEAR(*values.find("metrics/sub"), expected.norm().item<double>(), 1e-5);
  EXPECT_NEAR(*values.find("metrics/update"), expected.norm().item<double>(), 1e-5);
  EXPECT_NEAR(*values.find("losses/small"), g.abs().mean().item<double>(), 1e-6);

  cfg.train_losses["small"] = losses::AbsoluteValue{.values = "subgrads.fit.dense.kernl"};
  EXPECT_THAT(error_of(cfg), AllOf(HasSubstr("train_losses.small"), HasSubstr("kernel")));
  cfg.trainstep = {};
  cfg.train_losses.erase("small");
  cfg.train_metrics.erase("sub");
  cfg.train_metrics.erase("update");
  EXPECT_THAT(error_of(cfg), HasSubstr("MultiTrainStep"));
  cfg.trainstep = train::MultiTrainStep{};
  cfg.optimizer = optim::Sgd{.learning_rate = 0.1};
  EXPECT_THAT(error_of(cfg), AllOf(HasSubstr("optimizer"), HasSubstr("multi_optimizer")));
}

TEST_F(Training, SpecsOfTheState) {
  const Tree specs = train::state_specs(*resolved(config()));
  EXPECT_EQ(specs["params"]["dense"]["kernel"].tensor().sizes(), (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(specs["step"].tensor().scalar_type(), at::kInt);
  EXPECT_FALSE(specs["opt_state"].is_none());
}

}  // namespace
}  // namespace training_test
