// kd run: trainings, the folders they write, and kd launch --xp=kd_run.
#include <filesystem>

#include "cli/experiment_test.h"

namespace cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(Experiment, TrainsAndKeepsItsConfig) {
  const Outcome quiet = run(shortly({"--trainer.ckpt_dir=runs/a"}));
  ASSERT_EQ(quiet.code, 0) << quiet.err;
  EXPECT_EQ(quiet.out, "");  // warnings only
  EXPECT_EQ(quiet.err, "");
  std::vector<std::string> print = shortly({"--trainer.ckpt_dir=runs/a", "--print=yaml"});
  EXPECT_EQ(read_text(folder / "runs/a/config.yaml"), run(print).out);
  EXPECT_TRUE(std::filesystem::exists(folder / "runs/a/train_complete.txt"));

  const Outcome loud = run(shortly({"--trainer.ckpt_dir=runs/b", "--logging_level=20"}));
  EXPECT_THAT(loud.out,
              AllOf(StartsWith("Running with arguments\n"), HasSubstr("\n    ckpt_dir=runs/b\n")));
  EXPECT_THAT(loud.err, AllOf(HasSubstr("writing to runs/b"), HasSubstr("Mlp"),
                              HasSubstr("done: 2 steps, in runs/b")));
}

TEST_F(Experiment, AnotherBatchSizeOfTimekeepingIsRemarked) {
  const Outcome outcome = run(shortly({"--timekeeping.batch_size=4"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err,
            "warning: timekeeping.batch_size is 4, but train_dataset.batch_size is 8; epochs and "
            "schedules count 4 samples a step\n"
            "warning: the data ended after 2 of 4 steps of epoch 0, which timekeeping counts for "
            "schedules; train_dataset.repeat=true goes on\n");
  EXPECT_EQ(
      run(shortly({"--timekeeping.nb_samples_per_epoch=32", "--train_dataset.repeat=true"})).err,
      "");
}

// Advice names what `kd run` has.
TEST_F(Experiment, ErrorsNameTheFlagsOfExperiments) {
  ASSERT_EQ(run(shortly({"--trainer.ckpt_dir=runs/a"})).code, 0);
  const Outcome other = run(shortly({"--trainer.ckpt_dir=runs/a", "--problem.model.model_name=cnn",
                                     "--timekeeping.nb_epochs=2"}));
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, AllOf(HasSubstr("\n  problem.model.model_name: 'mlp' -> 'cnn'\n"),
                               HasSubstr("error: trainer.ckpt_dir: runs/a/checkpoints/ckpt_2"),
                               Not(HasSubstr("cfg."))));
  const Outcome bad = run(shortly({"--problem.optimizer.lr_schedule.lr=1e30"}));
  EXPECT_EQ(bad.code, 1);
  const Outcome file = run(shortly({"--trainer.ckpt_dir=exp.yaml"}));
  EXPECT_EQ(file.code, 1);
  EXPECT_THAT(file.err, HasSubstr("trainer.ckpt_dir"));
  EXPECT_THAT(bad.err, AllOf(HasSubstr("step 1: the loss is"), HasSubstr("smaller learning rate"),
                             Not(HasSubstr("on_bad_loss"))));
  const Outcome classes = run(shortly({"--problem.model.nb_classes=1"}));
  EXPECT_THAT(classes.err, HasSubstr("error: problem: ce_loss: labels: expected 0 to 0, got"));
  const Outcome weights = run(shortly({"--trainer.init_ckpt=nowhere"}));
  EXPECT_THAT(weights.err, HasSubstr("error: trainer.init_ckpt: nowhere does not exist"));
  const Outcome model = run(shortly({"--problem.model.model_path=nowhere"}));
  EXPECT_THAT(model.err, HasSubstr("error: problem.model.model_path: nowhere does not exist"));
}

// Room for a checkpoint or two (an MLP of half a megabyte with what the optimizer remembers), if
// this machine lets us mount that.
TEST_F(Experiment, AFullDiskIsNamedAndKeepsTheOldCheckpoint) {
  std::filesystem::create_directory(folder / "run");
  const bool real = shell("unshare -m mount -t tmpfs -o size=4m none run", folder.path()).code == 0;
  if (!real) GTEST_SKIP() << "no file system can be mounted here";
  std::vector<std::string> args = shortly({"--trainer.ckpt_dir=run", "--timekeeping.nb_epochs=3"});
  args.insert(args.begin(), "run");
  const Outcome outcome = shell(
      "unshare -m sh -c 'mount -t tmpfs -o size=4m none run; \"$0\" \"$@\"; code=$?; "
      "cp -r run kept; exit $code' " +
          line_of(args),
      folder.path());
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("run/"),
                                 HasSubstr("the disk is full; free some space, or choose "
                                           "another folder"),
                                 Not(HasSubstr("workdir"))));
  EXPECT_NE(read_text(folder / "kept/config.yaml"), "");
  const Outcome shown = kd({"ckpt", "show", "kept"}, {.folder = folder.path()});
  EXPECT_EQ(shown.code, 0) << shown.err;
}

TEST_F(Experiment, WrongLabelsAreAProblemOfTheModel) {
  const Outcome outcome =
      run(shortly({"--problem.model.nb_classes=3", "--val_dataset_class=TFDSWrapper",
                   "--val_dataset.split=test", "--val_dataset.dataset_name=fashion_mnist",
                   "--val_dataset.batch_size=50", "--val_dataset.input_size=()",
                   "--val_dataset.nb_samples=50"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("error: problem: acc: labels: expected 0 to 2, got 9; set "
                                     "nb_classes of the model"));
}

TEST_F(Experiment, ARefusedRunLeavesTheConfigOfTheOneBefore) {
  ASSERT_EQ(run(shortly({"--trainer.ckpt_dir=runs/a"})).code, 0);
  const std::string before = read_text(folder / "runs/a/config.yaml");
  const Outcome again = run(shortly({"--trainer.ckpt_dir=runs/a"}));
  EXPECT_THAT(again.err, HasSubstr("--timekeeping.nb_epochs=N makes it longer"));
  const Outcome other = run(shortly({"--trainer.ckpt_dir=runs/a", "--problem.model.model_name=cnn",
                                     "--timekeeping.nb_epochs=2"}));
  EXPECT_EQ(other.code, 1) << other.err;
  EXPECT_THAT(other.err, HasSubstr("the config is not the one the run began with"));
  EXPECT_THAT(again.err, Not(HasSubstr("the config is not")));
  EXPECT_EQ(read_text(folder / "runs/a/config.yaml"), before);
  // What is shown is no other run.
  const Outcome shown = run(shortly({"--trainer.ckpt_dir=runs/a", "--timekeeping.nb_epochs=2",
                                     "--logging_level=20", "--trainer.verbose=false"}));
  EXPECT_EQ(shown.code, 0);
  EXPECT_THAT(shown.err, AllOf(HasSubstr("timekeeping.nb_epochs: 1 -> 2"),
                               Not(HasSubstr("logging_level")), Not(HasSubstr("verbose"))));
}

TEST_F(Experiment, ADamagedConfigOfARunIsKeptAndWrittenAnew) {
  const auto train = [&](const std::string& epochs) {
    return run(shortly({"--trainer.ckpt_dir=runs/a", "--timekeeping.nb_epochs=" + epochs}));
  };
  ASSERT_EQ(train("1").code, 0);
  const auto file = folder / "runs/a/config.json";
  const std::string whole = read_text(file);
  for (const std::string& damaged : {std::string(), whole.substr(0, whole.size() / 2)}) {
    write_text(file, damaged);
    for (const std::string& advised :
         {kd({"resume", "runs/a"}, {.folder = folder.path()}).err,
          run({"--cfg_file=runs/a/config.json", "--print=yaml"}).err}) {
      EXPECT_THAT(advised, AllOf(HasSubstr("runs/a/config.json"),
                                 HasSubstr("To resume the run and write it anew: `kd run "
                                           "--cfg_file=runs/a/config.yaml`")));
    }
    const Outcome resumed = train(damaged.empty() ? "2" : "3");
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    const std::string aside = damaged.empty() ? "config.json.damaged" : "config.json.damaged1";
    EXPECT_THAT(resumed.err, AllOf(HasSubstr("warning: runs/a/config.json: damaged: "),
                                   HasSubstr("; kept as " + aside + ", and written anew")));
    EXPECT_EQ(read_text(folder / ("runs/a/" + aside)), damaged);
    EXPECT_EQ(run({"--cfg_file=runs/a/config.json", "--print=flat"}).code, 0);
  }
}

TEST_F(Experiment, WhereAllCheckpointsAreDamagedItsFlagsAreNamed) {
  const auto flags = shortly({"--trainer.ckpt_dir=runs/a"});
  ASSERT_EQ(run(flags).code, 0);
  std::vector<std::string> steps;
  for (auto& entry : std::filesystem::directory_iterator(folder / "runs/a/checkpoints")) {
    steps.push_back(entry.path().filename().string());
    write_text(entry.path() / "state.json", "");
  }
  ASSERT_EQ(steps.size(), 2u);
  const Outcome outcome = run(flags);
  EXPECT_EQ(outcome.code, 1);
  for (const std::string& step : steps) {
    EXPECT_THAT(outcome.err, HasSubstr("runs/a/checkpoints/" + step + "/state.json: damaged: "));
    EXPECT_TRUE(std::filesystem::exists(folder / ("runs/a/checkpoints/" + step)));
  }
  EXPECT_THAT(outcome.err, HasSubstr("To start over, train into another folder "
                                     "(--trainer.ckpt_dir=DIR), or remove runs/a/checkpoints"));
}

TEST_F(Experiment, WithoutAFolderNothingIsKept) {
  const Outcome outcome = run(shortly({}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(folder.names(), testing::ElementsAre("exp.yaml"));
}

TEST_F(Experiment, AFolderThatCannotBeMadeIsNamed) {
  const Outcome outcome = run(shortly({"--trainer.ckpt_dir=exp.yaml/runs"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("error: trainer.ckpt_dir: exp.yaml is no folder"));
  const Outcome too_long = run(shortly({"--trainer.ckpt_dir=runs/" + std::string(300, 'x')}));
  EXPECT_EQ(too_long.code, 1);
  EXPECT_THAT(too_long.err, AllOf(HasSubstr("trainer.ckpt_dir"), HasSubstr("name too long")));
}

TEST_F(Experiment, AMistakeIsFoundBeforeLibtorchIsLoaded) {
  const Outcome outcome =
      run(shortly({"--problem.optimizer.clipnorm=1", "--problem.optimizer.clipvalue=1"}),
          {{"LD_DEBUG", "files"}});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("clipvalue"), Not(HasSubstr("libtorch"))));
}

TEST_F(Experiment, EachRunOfAnAgentHasItsFolder) {
  const std::vector<std::string> flags = shortly({"--trainer.ckpt_dir=runs/sweep"});
  const Outcome first = run(flags, {{"WANDB_SWEEP_ID", "s1"}, {"WANDB_RUN_ID", "r1"}});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(read_text(folder / "runs/sweep/r1/config.yaml"),
              HasSubstr("ckpt_dir: runs/sweep/r1\n"));
  EXPECT_EQ(read_text(folder / "runs/sweep/config.yaml"), "");  // not there
  const Outcome lost = run(flags, {{"WANDB_SWEEP_ID", "s1"}});
  EXPECT_EQ(lost.code, 1);
  EXPECT_THAT(lost.err, HasSubstr("WANDB_RUN_ID"));
  // What cannot be an id is refused before there is a folder.
  for (const char* sweep : {"", "s1"}) {
    const Outcome wrong = run(shortly({"--trainer.ckpt_dir=other", "--log_wandb=true"}),
                              {{"WANDB_SWEEP_ID", sweep}, {"WANDB_RUN_ID", "a b"}});
    EXPECT_EQ(wrong.code, 1);
    EXPECT_THAT(wrong.err, HasSubstr("error: WANDB_RUN_ID: 'a b' cannot be the id of a W&B run"));
    EXPECT_FALSE(std::filesystem::exists(folder / "other"));
  }
}

TEST_F(Experiment, LaunchedOverAFlagEachUnitHasItsFolder) {
  auto launch = [&](std::vector<std::string> more) {
    std::vector<std::string> args = {"launch", "--xp=kd_run", "--quiet"};
    const auto flags = shortly(std::move(more));
    args.insert(args.end(), flags.begin(), flags.end());
    return kd(args, {.env = {{"KD_STATE", folder / "state"}}, .folder = folder.path()});
  };
  // A wrong key or value stops the launch before any job.
  for (const char* wrong :
       {"--sweep.problem.weight_dekay=[0.1]", "--sweep.problem.binary_loss=[true,3]"}) {
    const Outcome refused = launch({wrong});
    EXPECT_EQ(refused.code, 2) << refused.err;
    EXPECT_THAT(refused.err, ContainsRegex("unit [12]: --problem\\."));
  }
  EXPECT_EQ(launch({"--trainer.ckpt_dir=here", "--sweep.problem.weight_decay=[0.1]"}).code, 2);
  EXPECT_THAT(launch({"--sweep.trainer.ckpt_dir=[a,b]"}).err,
              HasSubstr("--sweep.trainer.ckpt_dir: every unit has a folder of its own"));
  EXPECT_THAT(folder.names(), Not(Contains("runs")));

  const Outcome launched = launch({"--sweep.problem.weight_decay=[0.125,0.25]"});
  ASSERT_EQ(launched.code, 0) << launched.out << launched.err;
  const Outcome status = kd({"status", "1"}, {.env = {{"KD_STATE", folder / "state"}}});
  EXPECT_THAT(status.out, HasSubstr("  weight_decay=0.125 "));
  for (const char* decay : {"0.125", "0.25"}) {
    const std::string unit = std::string("runs/1/") + (decay == std::string("0.25") ? "2" : "1") +
                             "-problem.weight_decay=" + decay;
    EXPECT_THAT(read_text(folder / (unit + "/config.yaml")),
                HasSubstr(std::string("weight_decay: ") + decay + "\n"));
    EXPECT_TRUE(std::filesystem::exists(folder / (unit + "/train_complete.txt")));
  }
}

// Each unit reads its own file, as it was at the launch.
TEST_F(Experiment, SweptFilesAreKept) {
  const std::string text = read_text(folder / "exp.yaml");
  std::filesystem::create_directory(folder / "b");
  write_text(folder / "b/exp.yaml", text);
  auto launch = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"launch", "--xp=kd_run", "--dry_run", "--sweep.cfg_file=[exp.yaml,b/exp.yaml]"});
    return kd(more, {.env = {{"KD_STATE", folder / "state"}}, .folder = folder.path()});
  };
  const Outcome shown = launch({});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("cfg_file=b/exp.yaml"), ContainsRegex("--cfg_file=/[^ ]*/exp.yaml"),
                    ContainsRegex("--cfg_file=/[^ ]*/2/exp.yaml")));
  for (const char* flag : {"--cfg_file=exp.yaml", "--cfg_f=exp.yaml"}) {
    const Outcome both = launch({flag});
    EXPECT_EQ(both.code, 2);
    EXPECT_THAT(both.err, HasSubstr("--cfg_file and --sweep.cfg_file: "));
  }
}

// Tuples and texts reach the jobs as their flags want them, and C++ of the user's own is kept.
TEST_F(Experiment, ADryRunShowsTheFlagsOfTheJobs) {
  write_text(folder / "own.cc", kOwnClass);
  const Outcome shown = kd(
      {"launch", "--xp=kd_run", "--dry_run", "--load=own.cc", "--cfg_file", "exp.yaml",
       "--sweep.problem.optimizer.betas=[(0.5,0.9),[0.75,0.9]]"},
      {.env = {{"KD_STATE", folder / "state"}, {"XDG_CACHE_HOME", KD_BINARY_DIR "/cli_test_cache"}},
       .folder = folder.path()});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("'--problem.optimizer.betas=(0.5, 0.9)'"),
                               HasSubstr("'--problem.optimizer.betas=(0.75, 0.9)'"),
                               ContainsRegex("--load=[^ ]*own.cc"), HasSubstr(" run ")));
}

}  // namespace
}  // namespace cli
