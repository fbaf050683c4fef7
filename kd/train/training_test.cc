// Whole runs on small data: the loop, resuming, what goes wrong.
#include "kd/train/training_test.h"

#include <ATen/ops/full.h>

#include "base/file.h"
#include "kd/ckpts/engine/store.h"
#include "kd/optim/combine.h"
#include "kd/optim/engine/transform.h"

namespace training_test {

using namespace kd;

// The usual step twice on the same batch.
struct Twice {
  train::StepResult step(train::StepRun& run, train::TrainState state, const Tree& batch,
                         const train::Returns& returns) const {
    train::StepResult first = run.usual_step(std::move(state), batch, {});
    return run.usual_step(std::move(first.state), batch, returns);
  }
};

// Counts its batches and logs the number.
struct Counting {
  train::TrainState init(train::StepRun& run, train::TrainState state) const {
    state.step_state = Tree::dict({{"batches", at::full({}, run.place().step, at::kLong)}});
    return state;
  }
  train::StepResult step(train::StepRun& run, train::TrainState state, const Tree& batch,
                         const train::Returns& returns) const {
    Tree counted = Tree::dict({{"batches", state.step_state.at("batches").tensor() + 1}});
    train::StepResult out = run.usual_step(std::move(state), batch, returns);
    out.state.step_state = counted;
    out.aux.scalars.emplace_back("batches", counted.at("batches").tensor().item<double>());
    return out;
  }
};

// Saves at step 0 only, and that fails.
struct FullDisk {
  class Store : public ckpts::Store {
   public:
    std::vector<std::int64_t> all_steps() const override { return {}; }
    bool should_save(std::int64_t step) const override { return step == 0; }
    void save(std::int64_t, const ckpts::Snapshot&, const konfig::Value&, bool) override {
      failed_ = true;
    }
    void check_saved() override {
      if (failed_) throw konfig::Error(konfig::ErrorKind::value, "the disk is full");
    }
    ckpts::Snapshot restore(std::optional<std::int64_t>) override { return {}; }
    void remove(std::int64_t) override {}

   private:
    bool failed_ = false;
  };
  std::unique_ptr<ckpts::Store> open(const std::filesystem::path&, bool) const {
    return std::make_unique<Store>();
  }
};

}  // namespace training_test

KD_COMPONENT(kd::Checkpoints, training_test::FullDisk);
KD_COMPONENT(kd::TrainStepFn, training_test::Twice);
KD_COMPONENT(kd::TrainStepFn, training_test::Counting);

namespace training_test {
namespace {

TEST_F(Training, LoopSavesEvaluatesAndLogs) {
  auto trainer = resolved(config());
  Log log;
  testing::internal::CaptureStderr();
  auto [state, aux, stopped, saved] = train::train(*trainer, {.on_event = std::ref(log)});
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      HasSubstr(
          "the newest checkpoint is of step 10: what came after it, up to step 12, is not saved"));
  EXPECT_EQ(state.step, 13);
  EXPECT_FALSE(stopped);
  EXPECT_THAT(log.order, ElementsAre("eval 0", "save 0", "train 0", "train 2", "eval 4", "train 4",
                                     "save 5", "train 6", "eval 8", "train 8", "save 10",
                                     "train 10", "eval 12", "train 12"));
  EXPECT_LT(log.values["eval/losses/total"][12], log.values["eval/losses/total"][0]);
  EXPECT_EQ(log.values["train/losses/total"][4], log.values["train/losses/fit"][4]);
  EXPECT_EQ(base::read_file(folder_ / "run/train_complete.txt"), "12");
  EXPECT_TRUE(fs::exists(folder_ / "run/element_spec.json"));
}

TEST_F(Training, AFailedSaveStopsTheRunAtTheNextStep) {
  Config<Trainer> cfg = config();
  cfg.checkpointer = FullDisk{};
  std::int64_t last = -1;
  auto on_event = [&](const train::Event& e) {
    if (e.kind == train::Event::Kind::done) last = e.step;
  };
  EXPECT_THAT([&] { train::train(*resolved(cfg), {.on_event = on_event}); },
              ::testing::ThrowsMessage<konfig::Error>(HasSubstr("the disk is full")));
  EXPECT_EQ(last, 0);
}

// Exactly as many updates as the epochs have; after the last one it is evaluated and saved.
TEST_F(Training, RunsInEpochs) {
  Config<Trainer> cfg = config();
  cfg.num_train_steps = {};
  cfg.epochs = train::Epochs{.num_epochs = 3, .steps_per_epoch = 4};
  cfg.log_metrics_every = 100;
  cfg.log_summaries_every = 100;
  cfg.checkpointer = ckpts::Checkpointer{.save_interval_steps = 4};
  cfg.evals["eval"] = evals::Evaluator{.run = evals::EveryEpoch{.every_it = 2}};
  Log log;
  const auto result = train::train(*resolved(cfg), {.on_event = std::ref(log)});
  EXPECT_EQ(result.state.step, 12);
  EXPECT_THAT(log.order,
              ElementsAre("eval 0", "save 0", "train 0", "eval 3", "eval 4", "save 4", "eval 7",
                          "eval 8", "save 8", "eval 11", "eval 12", "save 12"));
  // Once more: only the end is visited.
  log = {};
  EXPECT_EQ(train::train(*resolved(cfg), {.on_event = std::ref(log)}).state.step, 12);
  EXPECT_THAT(log.order, ElementsAre("eval 12"));
}

TEST_F(Training, EpochsGoOnWhereTheyWereStopped) {
  Config<Trainer> cfg = config();
  cfg.num_train_steps = {};
  cfg.epochs = train::Epochs{.num_epochs = 3, .steps_per_epoch = 4};
  cfg.evals["eval"] = evals::Evaluator{.run = evals::EveryEpoch{}};
  Log whole;
  const auto expected = train::train(*resolved(cfg), {.on_event = std::ref(whole)});
  for (int stop : {1, 6, 11, 17, 22}) {
    cfg.workdir = (folder_ / ("stop" + std::to_string(stop))).string();
    Log log;
    int asked = 0;
    ASSERT_TRUE(train::train(*resolved(cfg), {.should_stop = [&] { return ++asked > stop; },
                                              .on_event = std::ref(log)})
                    .stopped);
    const auto second = train::train(*resolved(cfg), {.on_event = std::ref(log)});
    EXPECT_TRUE(same(second.state.params, expected.state.params)) << stop;
    EXPECT_EQ(log.values, whole.values) << stop;
  }
}

TEST_F(Training, AStepKeepsAStateOfItsOwn) {
  Config<Trainer> cfg = config();
  cfg.trainstep = Counting{};
  Log log;
  ASSERT_TRUE(train::train(*resolved(cfg), stop_after(7)).stopped);
  const auto result = train::train(*resolved(cfg), {.on_event = std::ref(log)});
  EXPECT_EQ(result.state.step_state.at("batches").tensor().item<int>(), 13);
  EXPECT_EQ(log.values["train/batches"][8], 9);
  EXPECT_EQ(log.values["train/batches"][12], 13);
}

TEST_F(Training, WhatEpochsNeed) {
  Config<Trainer> cfg = config();
  cfg.epochs = train::Epochs{.num_epochs = 3, .steps_per_epoch = 4};
  EXPECT_THAT(error_of(cfg), HasSubstr("num_train_steps: it is set, and so is epochs"));
  cfg.num_train_steps = {};
  cfg.epochs = train::Epochs{.num_epochs = 3};
  EXPECT_THAT(error_of(cfg), HasSubstr("epochs.steps_per_epoch: not set"));
  cfg = config();
  cfg.evals["eval"] = evals::Evaluator{.run = evals::EveryEpoch{}};
  EXPECT_THAT(error_of(cfg), AllOf(HasSubstr("evals.eval.run"), HasSubstr("EveryEpoch counts")));
}

TEST_F(Training, ResumingIsBitForBit) {
  for (bool several : {false, true}) {
    Config<Trainer> cfg = config();
    cfg.workdir = (folder_ / (several ? "several" : "one")).string();
    if (several) {
      cfg.train_losses["small"] =
          losses::AbsoluteValue{.values = "params.dense.kernel", .weight = 0.1};
      cfg.optimizer = optim::MultiOptimizer{{{"fit", optim::Adam{.learning_rate = 0.05}},
                                             {"small", optim::Sgd{.learning_rate = 0.1}}}};
      cfg.trainstep = train::MultiTrainStep{};
    }
    Log whole;
    const auto expected = train::train(*resolved(cfg), {.on_event = std::ref(whole)});
    const bool full = std::getenv("KD_TEST_FULL") != nullptr;
    // Asked before each step and after each batch of an evaluation: it stops in either.
    for (int stop = 1; stop < 30; stop += full ? 1 : several ? 13 : 7) {
      cfg.workdir = (folder_ / ("stop" + std::to_string(stop) + std::to_string(several))).string();
      Log log;
      int asked = 0;
      auto first = train::train(*resolved(cfg), {.should_stop = [&] { return ++asked > stop; },
                                                 .on_event = std::ref(log)});
      ASSERT_TRUE(first.stopped);
      EXPECT_EQ(first.saved, first.state.step);
      EXPECT_FALSE(fs::exists(fs::path(*cfg.workdir) / "train_complete.txt"));
      // Other workers, the same data.
      Config<Trainer> again = cfg;
      again.train_ds.as<data::py::DataSource>().num_workers = 0;
      auto second = train::train(*resolved(again), {.on_event = std::ref(log)});
      EXPECT_EQ(second.state.step, 13);
      EXPECT_TRUE(same(second.state.params, expected.state.params)) << stop;
      EXPECT_TRUE(same(second.state.opt_state, expected.state.opt_state)) << stop;
      EXPECT_EQ(log.values, whole.values) << stop;
    }
  }
}

TEST_F(Training, ACrashLosesAtMostTheStepsSinceTheCheckpoint) {
  Config<Trainer> cfg = config();
  Log whole;
  const auto expected = train::train(*resolved(cfg), {.on_event = std::ref(whole)});
  cfg.workdir = (folder_ / "crash").string();
  struct Crash {};
  Log log;
  auto crash = [&](const Event& e) {
    log(e);
    if (e.kind == Event::Kind::done && e.step == 7) throw Crash();
  };
  EXPECT_THROW(train::train(*resolved(cfg), {.on_event = crash}), Crash);
  auto second = train::train(*resolved(cfg), {.on_event = std::ref(log)});
  EXPECT_TRUE(same(second.state.params, expected.state.params));
  EXPECT_EQ(log.values, whole.values);
}

TEST_F(Training, MidLevelLoopIsTheSame) {
  auto trainer = resolved(config());
  const auto expected = train::train(*trainer);
  train::StepRun run(*trainer);
  train::TrainState state = run.init();
  for (const Tree& batch : data::open(trainer->train_ds).device_put()) {
    auto [next, aux, loss, skipped] = run.step(std::move(state), batch, {.metrics = true});
    state = std::move(next);
    EXPECT_EQ(train::compute(aux).find("losses/total"), loss);
    if (state.step == 13) break;
  }
  EXPECT_TRUE(same(state.params, expected.state.params));
}

TEST_F(Training, StepsOfOnesOwn) {
  Config<Trainer> cfg = config(4);
  cfg.trainstep = Twice{};
  cfg.checkpointer = {};
  EXPECT_EQ(train::train(*resolved(cfg)).state.step, 10);
  cfg.trainstep = train::NoopTrainStep{};
  auto result = train::train(*resolved(cfg));
  EXPECT_EQ(result.state.step, 0);
  EXPECT_FALSE(result.aux.loss_states);
  // Stopped and resumed by the number of the loop, whatever the state counts.
  for (const Poly<TrainStepFn>& step : {Poly<TrainStepFn>(Twice{}), {train::NoopTrainStep{}}}) {
    const bool twice = step.holds<Twice>();
    cfg.trainstep = step;
    cfg.workdir = (folder_ / (twice ? "twice" : "noop")).string();
    cfg.checkpointer = ckpts::Checkpointer{.save_interval_steps = 5};
    EXPECT_EQ(train::train(*resolved(cfg), stop_after(1)).saved, 1);
    EXPECT_EQ(train::train(*resolved(cfg)).state.step, twice ? 10 : 0);
  }
}

TEST_F(Training, MetricsSeeOldParametersGradientsAndUpdates) {
  Config<Trainer> cfg = config(2);
  cfg.train_metrics["grad"] =
      metrics::SkipIfMissing{metrics::TreeReduce{metrics::Norm{.tensor = "grads", .axis = {}}}};
  cfg.train_metrics["update"] =
      metrics::SkipIfMissing{metrics::TreeReduce{metrics::Norm{.tensor = "updates", .axis = {}}}};
  Log log;
  auto with_updates = train::train(*resolved(cfg), {.on_event = std::ref(log)});
  EXPECT_GT(log.values["train/metrics/grad"][0], 0);
  EXPECT_GT(log.values["train/metrics/update"][0], 0);
  EXPECT_FALSE(log.values.contains("eval/metrics/grad"));
  cfg.train_metrics.erase("update");
  cfg.workdir = (folder_ / "fast").string();
  auto fast = train::train(*resolved(cfg), {});
  EXPECT_TRUE(same(with_updates.state.params, fast.state.params));
}

TEST_F(Training, NonFiniteLosses) {
  Config<Trainer> cfg = config();
  cfg.train_ds = dataset(true, /*bad=*/17);
  EXPECT_THAT(error_of(cfg), AllOf(HasSubstr("the loss is NaN"), HasSubstr("batch.x (NaN)"),
                                   HasSubstr("bad_batch_")));
  int saved = 0;
  for (auto& entry : fs::directory_iterator(folder_ / "run")) {
    if (!entry.path().filename().string().starts_with("bad_batch_")) continue;
    if (entry.path().extension() != ".json") continue;
    EXPECT_THAT(base::read_file(entry.path()), HasSubstr("\"record\": 17}"));
    EXPECT_TRUE(fs::exists(fs::path(entry.path()).replace_extension(".safetensors")));
    ++saved;
  }
  EXPECT_EQ(saved, 1);
  cfg.workdir = (folder_ / "skip").string();
  cfg.on_bad_loss = train::OnBadLoss::skip;
  auto result = train::train(*resolved(cfg));
  EXPECT_EQ(result.state.step, 13);
  for (auto& [path, tensor] : flatten(result.state.params)) {
    EXPECT_TRUE(tensor.isfinite().all().item<bool>()) << path;
  }
}

TEST_F(Training, KeysAreCheckedBeforeTheFirstStep) {
  Config<Trainer> cfg = config();
  cfg.train_losses["fit"] = losses::L2{.preds = "preds.yy", .targets = "batch.y"};
  EXPECT_THAT(error_of(cfg),
              AllOf(HasSubstr("train_losses.fit"), HasSubstr("preds.yy"), HasSubstr("preds.y")));
  cfg = config();
  cfg.train_metrics["norm"] = metrics::SkipIfMissing{metrics::Norm{.tensor = "grad.dense"}};
  EXPECT_THAT(error_of(cfg), AllOf(HasSubstr("train_metrics.norm"), HasSubstr("'grads'"),
                                   HasSubstr("loss_states")));
  cfg = config();
  cfg.model = Linear{.x = "batch.image"};
  EXPECT_THAT(error_of(cfg), AllOf(HasSubstr("model"), HasSubstr("batch.image")));
  cfg = config();
  cfg.evals["eval"] = evals::Evaluator{.run = evals::EveryNSteps{4},
                                       .metrics = {{"n", metrics::Norm{.tensor = "preds.z"}}}};
  EXPECT_THAT(error_of(cfg), AllOf(HasSubstr("evals.eval.metrics.n"), HasSubstr("preds.z")));
  EXPECT_FALSE(fs::exists(folder_ / "run/checkpoints/ckpt_0"));
  Tree specs = train::context_specs(*resolved(config()));
  EXPECT_EQ(specs["preds"]["y"].tensor().sizes(), (std::vector<std::int64_t>{8, 1}));
  EXPECT_TRUE(specs.contains("grads") && specs.contains("opt_state"));
}

// The number of parameters is among the texts about a run: a kernel of two and a bias.
TEST_F(Training, TheNumberOfParametersIsWritten) {
  train::train(*resolved(config(0)));
  const std::string rows = base::read_file(folder_ / "run/train/metrics.jsonl");
  const konfig::Value first = konfig::parse_json(rows.substr(0, rows.find('\n')));
  EXPECT_EQ(first.as<konfig::Dict>().at("step"), konfig::Value(0));
  const konfig::Value& texts = first.as<konfig::Dict>().at("texts");
  EXPECT_EQ(texts.as<konfig::Dict>().at("num_params"), konfig::Value("3"));
  EXPECT_THAT(texts.as<konfig::Dict>().at("parameters").as<std::string>(),
              HasSubstr("Total: 3 -- 12 bytes"));
}

TEST_F(Training, WhatARunNeeds) {
  Config<Trainer> cfg = config();
  cfg.workdir = {};
  EXPECT_THAT(error_of(cfg), HasSubstr("workdir"));
  cfg = config();
  cfg.num_train_steps = {};
  EXPECT_THAT(error_of(cfg), HasSubstr("num_train_steps"));
  cfg.num_train_steps = -1;
  EXPECT_THAT(error_of(cfg), HasSubstr("num_train_steps: expected a whole number of 0 or more"));
  cfg = config();
  cfg.evals["eval"] = evals::Evaluator{.run = evals::EveryNSteps{0}};
  EXPECT_THAT(error_of(cfg), HasSubstr("evals.eval.run.n: expected a whole number above 0"));
  cfg.evals["eval"] = evals::Evaluator{.run = evals::EveryNSteps{4}, .num_batches = 0};
  EXPECT_THAT(error_of(cfg), HasSubstr("evals.eval.num_batches: expected"));
  cfg = config();
  cfg.train_ds = {};
  EXPECT_THAT(error_of(cfg), HasSubstr("train_ds: it is None"));
  cfg.train_ds = dataset(true);
  cfg.train_ds.as<data::py::DataSource>().batch_size = -1;
  EXPECT_THAT(error_of(cfg),
              HasSubstr("train_ds.batch_size: expected a whole number of 0 or more, got -1"));
  cfg.train_ds = dataset(false);
  cfg.train_ds.as<data::py::DataSource>().batch_size = 41;
  EXPECT_THAT(error_of(cfg),
              HasSubstr("train_ds: the dataset gives no batch: it has 40 records, a batch 41"));
  cfg = config();
  cfg.evals["train"] = evals::Evaluator{.run = evals::Once{1}};
  EXPECT_THAT(error_of(cfg), HasSubstr("evals.train"));
  cfg = config();
  cfg.evals["9"] = evals::Evaluator{.run = evals::Once{1}};
  EXPECT_THAT(error_of(cfg), HasSubstr("no name"));
  cfg = config();
  cfg.evals["a"] = evals::Evaluator{.name = "b", .run = evals::Once{1}};
  EXPECT_THAT(error_of(cfg), HasSubstr("'b'"));
  cfg = config();
  cfg.eval_ds = {};
  EXPECT_THAT(error_of(cfg), HasSubstr("evals.eval.ds"));
  cfg = config();
  cfg.optimizer = {};
  EXPECT_THAT(error_of(cfg), HasSubstr("optimizer"));
  cfg = config();
  cfg.train_ds.as<data::py::DataSource>().num_epochs = 1;
  EXPECT_THAT(error_of(cfg), AllOf(HasSubstr("train_ds"), HasSubstr("ran out of data at step 5")));
}

TEST_F(Training, AFolderBelongsToOneTraining) {
  const Config<Trainer> cfg = config(1);
  std::string error;
  train::train(*resolved(cfg), {.on_event = [&](const Event& e) {
    if (e.kind == Event::Kind::start) error = error_of(cfg);
  }});
  EXPECT_THAT(error, AllOf(HasSubstr("workdir: "), HasSubstr("belongs to another training"),
                           HasSubstr("choose another folder")));
  EXPECT_EQ(error_of(cfg), "");
  // One that does not fit it.
  Config<Trainer> other = cfg;
  other.optimizer = optim::Sgd{.learning_rate = 0.1};
  EXPECT_THAT(error_of(other), AllOf(HasSubstr("run/checkpoints/ckpt_0 does not fit this config"),
                                     HasSubstr("opt_state")));
  // One that would begin it again.
  const std::optional<std::string> elsewhere = (folder_ / "elsewhere").string();
  for (const Poly<Checkpoints>& keeps_none :
       {Poly<Checkpoints>(),
        Poly<Checkpoints>(ckpts::Checkpointer{.save_interval_steps = 1, .workdir = elsewhere})}) {
    Config<Trainer> again = cfg;
    again.checkpointer = keeps_none;
    EXPECT_THAT(error_of(again),
                AllOf(HasSubstr("run holds a run up to step"), HasSubstr("--cfg.workdir=DIR")));
  }
  // A mistake leaves no folder behind.
  other.workdir = (folder_ / "new").string();
  other.train_losses["fit"] = losses::L2{.preds = "preds.z", .targets = "batch.y"};
  EXPECT_THAT(error_of(other), HasSubstr("preds.z"));
  EXPECT_FALSE(fs::exists(folder_ / "new"));
}

TEST_F(Training, StopAfterStepsAndFinalEvaluators) {
  Config<Trainer> cfg = config();
  cfg.stop_after_steps = 3;
  cfg.evals["last"] = evals::Evaluator{.run = evals::Final{}, .discard_opt = true};
  Log log;
  auto result = train::train(*resolved(cfg), {.on_event = std::ref(log)});
  EXPECT_EQ(result.state.step, 3);
  EXPECT_TRUE(result.state.opt_state.is_none());
  EXPECT_EQ(log.order.back(), "last 12");
}

}  // namespace
}  // namespace training_test
