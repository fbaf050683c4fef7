// Experiments that log to W&B.
#include <cstdlib>

#include "kd/io/file.h"
#include "kd/io/wandb_log.h"
#include "kd/problems/experiments_test.h"

namespace kd::problems {
namespace {

TEST_F(Experiments, LogTheirFlatConfigAndTheirNumbersToWandb) {
  ExperimentConfig cfg = config(1);
  cfg.log_wandb = true;
  cfg.experiment_name = "baseline";
  cfg.project_name = "digits";
  problem_of(cfg).weight_decay = 0.25;
  ::setenv("WANDB_SWEEP_ID", "sweep7", 1);
  ::setenv("WANDB_RUN_ID", "abc", 1);
  train(cfg);
  ::unsetenv("WANDB_SWEEP_ID");
  ::unsetenv("WANDB_RUN_ID");
  const auto records =
      io::read_wandb_log(io::map_file(folder_ / "run/wandb/latest-run/run-abc.wandb")).records;
  // The run: its second record.
  EXPECT_THAT(records.at(1), AllOf(HasSubstr("problem.weight_decay"), HasSubstr("0.25"),
                                   HasSubstr("problem.optimizer.lr_schedule.lr"),
                                   HasSubstr("baseline-abc"), HasSubstr("digits"),
                                   HasSubstr("sweep7"), ::testing::Not(HasSubstr("train_losses"))));
  std::size_t losses = 0, validations = 0;
  for (const std::string& record : records) {
    const bool is_row = record.find("_runtime") != record.npos;
    losses += is_row && record.find("train/ce_loss") != record.npos ? 1 : 0;
    validations += is_row && record.find("val/acc") != record.npos ? 1 : 0;
  }
  EXPECT_EQ(losses, 2 * 10U);  // each is in the history and in the summary
  EXPECT_EQ(validations, 2 * 2U);
  EXPECT_TRUE(fs::exists(folder_ / "run/train/metrics.csv"));
}

}  // namespace
}  // namespace kd::problems
