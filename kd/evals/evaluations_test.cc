// Evaluations of small runs: how much each reads, and those that run beside the training.
#include "base/sha256.h"
#include "kd/evals/engine/continuous_eval.h"
#include "kd/train/eval_only.h"
#include "kd/train/training_test.h"

namespace training_test {
namespace {

TEST_F(Training, HowMuchAnEvaluatorReads) {
  Config<Trainer> cfg = config(4);
  auto none = dataset(false);
  none.data_source = Grid{.n = 3};  // less than a batch
  cfg.evals = {};
  cfg.evals["all"] = evals::Evaluator{.run = evals::EveryNSteps{4}};
  cfg.evals["two"] = evals::Evaluator{.run = evals::EveryNSteps{4}, .num_batches = 2};
  cfg.evals["kept"] =
      evals::Evaluator{.run = evals::EveryNSteps{4}, .num_batches = 2, .cache = true};
  cfg.evals["late"] =
      evals::Evaluator{.run = evals::EveryNSteps{.n = 2, .skip_first = true}, .num_batches = 2};
  Log log;
  train::train(*resolved(cfg), {.on_event = std::ref(log)});
  const std::string loss = "/losses/total";
  EXPECT_EQ(log.values["two" + loss], log.values["kept" + loss]);
  EXPECT_NE(log.values["two" + loss][4], log.values["all" + loss][4]);
  EXPECT_EQ(log.values["late" + loss].size(), 2u);  // 2 and 4
  EXPECT_EQ(log.values["late" + loss][4], log.values["two" + loss][4]);
  cfg.evals["kept"] = evals::Evaluator{.run = evals::Once{1}, .cache = true};
  EXPECT_THAT(error_of(cfg), AllOf(HasSubstr("evals.kept.cache"), HasSubstr("num_batches")));
  cfg.evals = {};
  cfg.evals["none"] = evals::Evaluator{.run = evals::Once{1}, .ds = none};
  EXPECT_THAT(error_of(cfg), HasSubstr("evals.none"));
  cfg.evals = {};
  cfg.evals["endless"] = evals::Evaluator{.run = evals::Once{1}, .ds = dataset(true)};
  EXPECT_THAT(error_of(cfg),
              AllOf(HasSubstr("evals.endless.num_batches"), HasSubstr("never ends")));
}

TEST_F(Training, StandaloneEvaluators) {
  Config<Trainer> cfg = config();
  cfg.evals["every"] =
      evals::Evaluator{.run = evals::StandaloneEveryCheckpoint{.seconds_to_sleep = 0.01}};
  cfg.evals["last"] =
      evals::Evaluator{.run = evals::StandaloneLastCheckpoint{}, .discard_opt = true};
  cfg.evals["broken"] = evals::Evaluator{.run = evals::StandaloneLastCheckpoint{},
                                         .metrics = {{"n", metrics::Norm{.tensor = "preds.z"}}}};
  auto trainer = resolved(cfg);
  Log log;
  train::train(*trainer, {.on_event = std::ref(log)});
  log.order.clear();
  const evals::ContinuousOptions quick{.on_event = std::ref(log), .quiet_seconds = 0};
  testing::internal::CaptureStderr();
  auto aux = evals::continuous_eval(*trainer, {"every", "last"}, quick);
  const std::string older = "was trained to step 12, but its newest checkpoint is of step 10";
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr(older));
  EXPECT_THAT(log.order, ElementsAre("every 10", "last 10"));
  EXPECT_EQ(aux.size(), 2u);
  // One that fails does not stop the other.
  try {
    evals::continuous_eval(*trainer, {"every", "broken"}, quick);
    ADD_FAILURE();
  } catch (const konfig::Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("evals.broken"));
  }
  EXPECT_EQ(log.order.back(), "every 10");
  EXPECT_THROW(evals::continuous_eval(*trainer, {"eval"}, quick), konfig::Error);
  EXPECT_THROW(evals::continuous_eval(*trainer, {"evry"}, quick), konfig::Error);
}

// The checkpoint that was being evaluated when the job was killed is evaluated by the next one,
// although training removed it meanwhile.
TEST_F(Training, AKilledEvaluationGoesOn) {
  Config<Trainer> cfg = config();
  cfg.setup.preemptable_eval = true;
  cfg.evals["every"] =
      evals::Evaluator{.run = evals::StandaloneEveryCheckpoint{.seconds_to_sleep = 0.01}};
  auto trainer = resolved(cfg);
  train::train(*trainer);
  struct Killed {};
  auto kill = [](const Event&) { throw Killed(); };
  EXPECT_THROW(evals::continuous_eval(*trainer, {"every"}, {.on_event = kill, .quiet_seconds = 0}),
               Killed);
  const fs::path copy = folder_ / "run/_eval_every/checkpoints/ckpt_10";
  EXPECT_TRUE(fs::exists(copy));
  fs::remove_all(folder_ / "run/checkpoints");
  Log log;
  const evals::ContinuousOptions quick{.on_event = std::ref(log), .quiet_seconds = 0};
  evals::continuous_eval(*trainer, {"every"}, quick);
  EXPECT_THAT(log.order, ElementsAre("every 10"));
  EXPECT_FALSE(fs::exists(copy));
}

// Names of folders have their limit: the first digits of a hash stand for long ones.
TEST_F(Training, FoldersOfManyEvaluatorsHaveShortNames) {
  Config<Trainer> cfg = config();
  cfg.setup.preemptable_eval = true;
  std::vector<std::string> names;
  for (char c : {'a', 'b', 'c'}) {
    names.emplace_back(40, c);
    cfg.evals[names.back()] =
        evals::Evaluator{.run = evals::StandaloneEveryCheckpoint{.seconds_to_sleep = 0.01}};
  }
  auto trainer = resolved(cfg);
  train::train(*trainer);
  evals::continuous_eval(*trainer, names, {.quiet_seconds = 0});
  const std::string joined = names[0] + ":" + names[1] + ":" + names[2];
  EXPECT_TRUE(fs::exists(folder_ / ("run/_eval_" + base::sha256(joined).substr(0, 8))));
}

// Of another run's checkpoints, which stay as they are.
TEST_F(Training, EvaluatingOnlyFollowsTheOtherRun) {
  Config<Trainer> source = config();
  train::train(*resolved(source), {.config = konfig::lower(source)});
  auto files = [&] {
    std::set<std::string> out;
    for (auto& entry : fs::recursive_directory_iterator(folder_ / "run")) out.insert(entry.path());
    return out;
  };
  const auto before = files();
  Config<Trainer> cfg;
  cfg.workdir = (folder_ / "only").string();
  cfg.eval_ds = dataset(false);
  cfg.train_losses["fit"] = losses::L2{.preds = "preds.y", .targets = "batch.y"};
  cfg.evals["every"] =
      evals::Evaluator{.run = evals::StandaloneEveryCheckpoint{.seconds_to_sleep = 0.01}};
  cfg.writer = train::KDMetricWriter{.console = false};
  auto trainer = konfig::resolve<Trainer>(train::eval_only(cfg, (folder_ / "run").string()));
  Log log;
  evals::continuous_eval(*trainer, {"every"}, {.on_event = std::ref(log), .quiet_seconds = 0});
  EXPECT_THAT(log.order, ElementsAre("every 10"));
  // There is no training to run along: once, on the last state.
  cfg.evals["along"] = evals::Evaluator{.run = evals::EveryNSteps{.n = 5}};
  trainer = konfig::resolve<Trainer>(train::eval_only(cfg, (folder_ / "run").string()));
  log.order.clear();
  testing::internal::CaptureStderr();
  evals::continuous_eval(*trainer, {"along"}, {.on_event = std::ref(log), .quiet_seconds = 0});
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("/run was trained to step 12, but its newest checkpoint"));
  EXPECT_THAT(log.order, ElementsAre("along 10"));
  EXPECT_EQ(files(), before);
  // A training that never begins.
  Config<Trainer> waits = config();
  waits.workdir = (folder_ / "never").string();
  waits.evals["every"] = cfg.evals["every"];
  EXPECT_TRUE(evals::continuous_eval(*resolved(waits), {"every"}, {.should_stop = [] {
                return true;
              }}).empty());
  EXPECT_FALSE(fs::exists(folder_ / "never"));
}

}  // namespace
}  // namespace training_test
