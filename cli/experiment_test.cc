// kd run: the program around experiments of registered classes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "cli/complete.h"
#include "cli/errors.h"
#include "cli/run_words.h"
#include "cli/spawn_test.h"
#include "konfig/json.h"
#include "test_paths.h"

namespace cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kExperiment = R"(trainer_class: SingleGPUTrainer
timekeeping_class: Timekeeping
timekeeping: {nb_epochs: 1, batch_size: 32, nb_samples_per_epoch: 320}
problem_class: ClassificationProblem
problem:
  model_class: ModelFactory
  model: {model_name: mlp, nb_classes: 10}
  optimizer:
    lr_schedule_class: LRConstFactory
    lr_schedule: {lr: 0.1}
train_dataset_class: TFDSWrapper
train_dataset:
  dataset_name: fashion_mnist
  split: train
  input_size: !!python/tuple [28, 28]
  batch_size: 32
)";

class Experiment : public testing::Test {
 protected:
  Experiment() { write_text(folder / "exp.yaml", kExperiment); }

  Outcome run(std::vector<std::string> flags,
              std::vector<std::pair<std::string, std::string>> env = {}) {
    flags.insert(flags.begin(), "run");
    // One cache for all tests: kd.h is precompiled once.
    env.emplace_back("XDG_CACHE_HOME", KD_BINARY_DIR "/cli_test_cache");
    return kd(flags, {.env = std::move(env), .folder = folder.path()});
  }

  TempFolder folder;
};

TEST_F(Experiment, PrintShowsTheConfigAndTrainsNothing) {
  const Outcome yaml = run({"--cfg_file=exp.yaml", "--print=yaml", "--problem.weight_decay=0.25"});
  EXPECT_EQ(yaml.code, 0) << yaml.err;
  EXPECT_THAT(yaml.out, AllOf(HasSubstr("\n  weight_decay: 0.25\n"),
                              HasSubstr("input_size: !!python/tuple\n  - 28\n  - 28\n"),
                              HasSubstr("\n      lr: 0.1\n")));
  // What is printed is read again, and is the same.
  write_text(folder / "again.yaml", yaml.out);
  EXPECT_EQ(run({"--cfg_file=again.yaml", "--print=json"}).code, 0);

  // A shell reads the flat form. The file says 5 samples, the flags all of them.
  const std::string five = std::string(kExperiment) + "  nb_samples: 5\n";
  write_text(folder / "five.yaml", five);
  const Outcome flat = run({"--cfg_file=five.yaml", "--print", "flat",
                            "--train_dataset.nb_samples=None", "--experiment_name=it's a $name"});
  EXPECT_THAT(flat.out, AllOf(HasSubstr("--train_dataset.input_size='(28, 28)'\n"),
                              HasSubstr("--train_dataset.nb_samples=None\n")));
  write_text(folder / "flat", flat.out);
  const Outcome again = shell("xargs " KD_BINARY_DIR "/kd run --print=flat < flat", folder.path());
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out, flat.out);
  std::filesystem::remove(folder / "five.yaml");
  std::filesystem::remove(folder / "flat");

  const Outcome json = run({"--cfg_file=exp.yaml", "--print=json"});
  const konfig::Value cfg = konfig::parse_json(json.out);
  EXPECT_EQ(cfg.as<konfig::Dict>().at("problem_class"), konfig::Value("ClassificationProblem"));
  EXPECT_THAT(folder.names(), testing::ElementsAre("again.yaml", "exp.yaml"));
}

// The trainer that an experiment became is read as the experiment.
TEST_F(Experiment, ALoweredConfigConvertsBack) {
  const std::vector<std::string> flags = {"--problem.weight_decay=0.25",
                                          "--problem.model.nb_classes=7"};
  std::vector<std::string> lower = {"--cfg_file=exp.yaml", "--print=kd"};
  lower.insert(lower.end(), flags.begin(), flags.end());
  write_text(folder / "kd.json", run(lower).out);
  lower[1] = "--print=flat";
  std::string expected = run(lower).out;
  expected.replace(expected.find("--cfg_file=exp.yaml"), 19, "--cfg_file=");
  write_text(folder / "exp.yaml", "changed: since");
  const Outcome back = run({"--cfg_file", "kd.json", "--print=flat"});
  EXPECT_EQ(back.code, 0) << back.err;
  EXPECT_EQ(back.out, expected);
  // Flags have the last word, and help knows its classes.
  EXPECT_THAT(run({"--cfg_file=kd.json", "--problem.weight_decay=0.5", "--print=flat"}).out,
              HasSubstr("--problem.weight_decay=0.5\n"));
  EXPECT_THAT(run({"--cfg_file=kd.json", "--help"}).out, HasSubstr("--problem.weight_decay=FLOAT"));
  // What was changed in it is not lost silently.
  std::string changed = read_text(folder / "kd.json");
  changed.replace(changed.find("\"num_epochs\": 1"), 15, "\"num_epochs\": 2");
  write_text(folder / "kd.json", changed);
  const Outcome refused = run({"--cfg_file=kd.json", "--print=yaml"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err,
              HasSubstr("--cfg_file: kd.json: epochs.num_epochs: it was changed after"));
}

// Its length is in epochs.
TEST_F(Experiment, SchedulesAreDrawnOfTheLoweredConfig) {
  write_text(folder / "kd.json", run({"--cfg_file=exp.yaml", "--print=kd"}).out);
  const Outcome shown =
      kd({"inspect", "--cfg=kd.json", "--show=schedules"}, {.folder = folder.path()});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("schedules/lr"), HasSubstr("10")));
}

TEST_F(Experiment, PrintNeedsNoLibtorch) {
  for (const char* format : {"yaml", "flat", "json", "kd"}) {
    const Outcome shown =
        run({"--cfg_file=exp.yaml", std::string("--print=") + format}, {{"LD_DEBUG", "files"}});
    EXPECT_EQ(shown.code, 0) << shown.out;
    EXPECT_THAT(shown.err, HasSubstr("libtfimm"));  // the loader does tell
    EXPECT_THAT(shown.err, Not(HasSubstr("libtorch"))) << format;
  }
}

TEST_F(Experiment, HelpGrowsWithTheClassesChosen) {
  const Outcome plain = run({"--help"});
  EXPECT_EQ(plain.code, 0);
  EXPECT_THAT(plain.out, AllOf(HasSubstr("Usage: kd run [COMMAND] [FLAGS]"), HasSubstr("--print"),
                               ContainsRegex("--problem_class=CLASS .*ClassificationProblem"),
                               Not(HasSubstr("--problem.weight_decay"))));
  const Outcome grown = run({"--problem_class=ClassificationProblem", "-h",
                             "--problem.optimizer.lr_schedule_class=LRCosineDecayFactory"});
  EXPECT_THAT(grown.out, AllOf(HasSubstr("--problem.weight_decay=FLOAT"),
                               HasSubstr("--problem.optimizer.lr_schedule.alpha=FLOAT")));
  EXPECT_THAT(run({"--cfg_file=exp.yaml", "--help"}).out, HasSubstr("(default: fashion_mnist)"));
}

TEST_F(Experiment, MistakesAreUsageErrors) {
  struct {
    std::vector<std::string> flags;
    const char* text;
  } const cases[] = {
      {{"eval_shape"}, "unexpected argument 'eval_shape'"},
      {{"exp.yaml"}, "unexpected argument 'exp.yaml'; did you mean --cfg_file=exp.yaml?"},
      {{"--config=exp.yaml"}, "--config: unknown flag; did you mean --cfg_file=exp.yaml?"},
      {{"--config", "a.yaml"}, "did you mean --cfg_file=a.yaml?"},
      {{"--print_config"}, "--print_config: unknown flag; did you mean --print=yaml?"},
      {{"--problem=foo"},
       "error: --problem: not a value; choose its class with --problem_class=NAME and set its "
       "fields with --problem.FIELD=VALUE\nTry"},
      {{"--problem_class=MyProblem"}, "A class of your own needs its file: --load=FILE.cc"},
      {{"--timekeeping.nb_epochs=-3"},
       "timekeeping.nb_epochs: expected a whole number of 0 or more, got -3"},
      {{"--problem.weigth_decay=1"}, "did you mean --problem.weight_decay?"},
      {{"--problem_class=ClassificationProblm"},
       "did you mean 'ClassificationProblem'? (registered: ClassificationProblem, "
       "DistillationProblem)"},
      {{"--problem.weight_decay=much"}, "--problem.weight_decay: expected a number, got 'much'"},
      {{"--print=xml"}, "--print"},
      {{"--load=exp.yaml"}, "--load: exp.yaml: expected a C++ file"},
      {{"--load"}, "--load: expects a C++ file"},
      {{"--cfg_file=none.yaml"}, "none.yaml"},
      {{"--device=tpu"}, "--device: device 'tpu': expected cpu"},
      {{"--problem.optimizer.lr_schedule_class=LRConst"},
       "did you mean 'LRConstFactory'? (registered: LRConstFactory, LRCosineDecayFactory, "},
      {{"--trainer_class=ModelFactory", "--print=yaml"},
       "--trainer_class: 'ModelFactory' is a class for model, student or teacher, not for trainer; "
       "choose SingleGPUTrainer"},
      {{"--threads=0"}, "--threads: expected a whole number from 1 to 1024, got '0'"},
      {{"--threads=99999"}, "--threads: expected a whole number from 1 to 1024, got '99999'"},
      {{"--train_dataset.dataset_name=fashion_mnst"},
       "train_dataset.dataset_name: there is no dataset 'fashion_mnst'; did you mean "
       "'fashion_mnist'?"},
      {{"--train_dataset.dataset_name=imagenet2012"}, "TFDS_DATA_DIR name the folder"},
      {{"--train_dataset.split=trian"}, "train_dataset.split: 'trian': there is no 'trian'"},
      {{"--val_dataset_class=TFDSWrapper", "--val_dataset.dataset_name=fashion_mnist",
        "--val_dataset.split=tset", "--val_dataset.input_size=()", "--val_dataset.batch_size=8"},
       "val_dataset.split: 'tset': there is no 'tset'"},
      {{"--problem.model.drop_path_rate=0.1"},
       "problem.model.drop_path_rate: mlp has no such setting; leave it out"},
  };
  for (auto& one : cases) {
    std::vector<std::string> flags = {"--cfg_file=exp.yaml"};
    flags.insert(flags.end(), one.flags.begin(), one.flags.end());
    const Outcome outcome = run(flags);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(one.text));
  }
  EXPECT_THAT(folder.names(), testing::ElementsAre("exp.yaml"));
}

TEST_F(Experiment, WordsOfKdStay) {
  std::vector<std::string> args = {"run", "--print=yaml", "--problem_class=ClassificationProblem"};
  const RunWords words = take_run_words(args, {"--print="});
  EXPECT_THAT(args, testing::ElementsAre("run", "--print=yaml"));
  EXPECT_THAT(words.flags, testing::ElementsAre("--problem_class=ClassificationProblem"));
  EXPECT_THROW(const kd::problems::ExperimentConfig cfg = parse_experiment(words), UsageError);

  args = {"run", "--print", "flat", "--load", "a.cc", "--lr", "-1", "--load=b.cc", "word"};
  const RunWords spaced = take_run_words(args, {"--print="});
  EXPECT_THAT(args, testing::ElementsAre("run", "--print", "flat"));
  EXPECT_THAT(spaced.files, testing::ElementsAre("a.cc", "b.cc"));
  EXPECT_THAT(spaced.flags, testing::ElementsAre("--lr", "-1", "word"));
}

TEST_F(Experiment, FlagsAndClassesAreCompleted) {
  const CommandLine line;
  auto words = [&](std::vector<std::string> typed) {
    std::vector<std::string> out;
    for (auto& candidate : complete(line, std::move(typed))) out.push_back(candidate.word);
    return out;
  };
  EXPECT_THAT(words({"run", "--prob"}), testing::ElementsAre("--problem_class="));
  EXPECT_THAT(words({"run", "--problem_class=D"}),
              testing::ElementsAre("--problem_class=DistillationProblem"));
  EXPECT_THAT(words({"run", "--problem_class=ClassificationProblem", "--problem.w"}),
              testing::ElementsAre("--problem.weight_decay="));
  EXPECT_THAT(words({"run", "--pr"}), Contains("--print="));
  EXPECT_THAT(words({"run", "--print=y"}), testing::ElementsAre("--print=yaml"));
}

constexpr const char* kOwnClass = R"(#include "tfimm/train/train.h"
struct LoadedConfig {
  tfimm::train::Required<int> width;  // units of the hidden layer
};
struct LoadedModel {
  using cfg_class = LoadedConfig;
  static constexpr std::string_view cfg_role = "model";
};
CFG_SERIALIZABLE(LoadedModel);
)";

TEST_F(Experiment, LoadBringsClassesOfTheUser) {
  write_text(folder / "own.cc", kOwnClass);
  const std::vector<std::string> flags = {"--cfg_file=exp.yaml", "--load=own.cc", "--print=flat",
                                          "--problem.model_class=LoadedModel"};
  const Outcome missing = run(flags);
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("not given: --problem.model.width"));
  std::vector<std::string> more = flags;
  more.push_back("--problem.model.width=32");
  const Outcome shown = run(more, {{"LD_DEBUG", "files"}});
  EXPECT_EQ(shown.code, 0) << shown.out;
  EXPECT_THAT(shown.out, HasSubstr("--problem.model.width=32\n"));
  EXPECT_THAT(shown.err, Not(HasSubstr("libtorch")));
  std::vector<std::string> help = flags;
  help.emplace_back("--help");
  EXPECT_THAT(run(help).out,
              ContainsRegex("--problem.model.width=INT +units of the hidden layer .required"));
  // Without the file nobody knows it.
  more.erase(more.begin() + 1);
  EXPECT_THAT(run(more).err, HasSubstr("no class is registered as 'LoadedModel'"));
  // A file that does not compile is named, with the line.
  write_text(folder / "broken.cc", "struct A {\n");
  const Outcome broken = run({"--cfg_file=exp.yaml", "--load=broken.cc", "--print=flat"});
  EXPECT_EQ(broken.code, 2);
  EXPECT_THAT(broken.err, HasSubstr("broken.cc:"));
  // So is a field that no flag can set.
  write_text(folder / "map.cc", R"(#include <map>
#include "tfimm/train/train.h"
struct MapConfig {
  int width = 1;
  std::map<std::string, int> sizes;
};
CFG_SERIALIZABLE(MapConfig);
)");
  const Outcome map = run({"--cfg_file=exp.yaml", "--load=map.cc", "--print=flat"});
  EXPECT_EQ(map.code, 2);
  EXPECT_THAT(map.err,
              HasSubstr("--load: map.cc:7:1: error: MapConfig::sizes: tfimm: a field of a config "
                        "class is an int,"));
}

// A training of two steps.
const std::vector<std::string> kShort = {"--cfg_file=exp.yaml",
                                         "--timekeeping.batch_size=8",
                                         "--timekeeping.nb_samples_per_epoch=16",
                                         "--train_dataset.nb_samples=16",
                                         "--train_dataset.batch_size=8",
                                         "--threads=1"};

std::vector<std::string> shortly(std::vector<std::string> more) {
  more.insert(more.begin(), kShort.begin(), kShort.end());
  return more;
}

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
            "schedules count 4 samples a step\n");
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
  EXPECT_THAT(weights.err, HasSubstr("trainer.init_ckpt: nowhere does not exist"));
  const Outcome model = run(shortly({"--problem.model.model_path=nowhere"}));
  EXPECT_THAT(model.err, HasSubstr("problem.model: nowhere does not exist"));
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
}

TEST_F(Experiment, WithoutAFolderNothingIsKept) {
  const Outcome outcome = run(shortly({}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(folder.names(), testing::ElementsAre("exp.yaml"));
}

TEST_F(Experiment, AFolderThatCannotBeMadeIsNamed) {
  const Outcome outcome = run(shortly({"--trainer.ckpt_dir=exp.yaml/runs"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("exp.yaml/runs"));
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
  EXPECT_THAT(status.out, HasSubstr("problem.weight_decay=0.125 "));
  for (const char* decay : {"0.125", "0.25"}) {
    const std::string unit = std::string("runs/1/") + (decay == std::string("0.25") ? "2" : "1") +
                             "-problem.weight_decay=" + decay;
    EXPECT_THAT(read_text(folder / (unit + "/config.yaml")),
                HasSubstr(std::string("weight_decay: ") + decay + "\n"));
    EXPECT_TRUE(std::filesystem::exists(folder / (unit + "/train_complete.txt")));
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

// ---- examples/tfimm

const std::string kExamples = KD_SOURCE_DIR "/examples/tfimm/";

// Some steps of an example.
const std::vector<std::string> kSteps = {
    "--timekeeping.nb_epochs=1", "--timekeeping.nb_samples_per_epoch=256",
    "--val_dataset.nb_samples=50", "--trainer.ckpt_dir=runs/a"};

TEST_F(Experiment, TheFileAndTheProgramAreTheSame) {
  const Outcome yaml =
      run({"--cfg_file=" + kExamples + "fashion_mnist.yaml", "--cfg_file=", "--print=flat"});
  EXPECT_EQ(yaml.code, 2);  // --cfg_file= reads no file
  const Outcome file = run({"--cfg_file=" + kExamples + "fashion_mnist.yaml", "--print=yaml"});
  const Outcome program =
      spawn(KD_BINARY_DIR "/examples/fashion_mnist", kSteps, {.folder = folder.path()});
  ASSERT_EQ(program.code, 0) << program.err;
  EXPECT_THAT(program.out, StartsWith("Running with arguments\n  trainer:\n"));
  std::vector<std::string> flags = kSteps;
  flags.insert(flags.end(), {"--cfg_file=" + kExamples + "fashion_mnist.yaml", "--print=yaml"});
  std::string expected = run(flags).out;
  const auto at = expected.find("cfg_file: ");
  expected.replace(at, expected.find('\n', at) - at, "cfg_file: ''");
  EXPECT_EQ(read_text(folder / "runs/a/config.yaml"), expected);
  EXPECT_EQ(spawn(KD_BINARY_DIR "/examples/fashion_mnist", {"--problem.x=1"}).code, 2);
  const Outcome split =
      spawn(KD_BINARY_DIR "/examples/fashion_mnist",
            {"--train_dataset.split=trian", "--trainer.ckpt_dir="}, {.folder = folder.path()});
  EXPECT_EQ(split.code, 2);
  EXPECT_THAT(split.err, HasSubstr("error: train_dataset.split: 'trian'"));
}

// A program stops as `kd run` does.
TEST_F(Experiment, ASignalStopsAProgramAfterItsStep) {
  const Outcome stopped =
      shell(KD_BINARY_DIR
            "/examples/fashion_mnist --trainer.ckpt_dir=run --logging_level=20 2> log & "
            "job=$!\n"
            "until grep -q 'it 0' log; do kill -0 $job || exit 9; done\n"
            "kill -TERM $job\nwait $job\n",
            folder.path());
  EXPECT_EQ(stopped.code, 143) << read_text(folder / "log");
  EXPECT_THAT(read_text(folder / "log"), HasSubstr("the same command resumes the run"));
}

TEST_F(Experiment, ADatasetAModelAndATrainerOfTheUser) {
  std::vector<std::string> flags = kSteps;
  flags.insert(flags.end(),
               {"--cfg_file=" + kExamples + "fashion_mnist.yaml",
                "--load=" + kExamples + "own_classes.cc", "--problem.model_class=WideModel",
                "--problem.model.width=16", "--trainer_class=SeededTrainer", "--trainer.seed=3",
                "--train_dataset_class=ShuffledFashion"});
  const Outcome trained = run(flags);
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("Train: epoch 0, it 0, loss "));
  const konfig::Value config = konfig::parse_json(read_text(folder / "runs/a/config.json"));
  EXPECT_EQ(config.as<konfig::Dict>().at("seed"), konfig::Value(3));
  EXPECT_THAT(konfig::to_json(config), HasSubstr("\"hidden\": [16]"));
  // The folder tells where its classes come from.
  const Outcome resumed = kd({"resume", folder / "runs/a"},
                             {.env = {{"XDG_CACHE_HOME", KD_BINARY_DIR "/cli_test_cache"}}});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
}

TEST_F(Experiment, TwoClassesAndOneLogit) {
  const Outcome trained =
      run({"--load=" + kExamples + "footwear.cc", "--cfg_file=" + kExamples + "binary.yaml",
           "--timekeeping.nb_samples_per_epoch=2560", "--val_dataset.split=test[:10%]"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  // Seven of ten are no footwear: whoever says so always gets 0.7.
  EXPECT_THAT(trained.err, ContainsRegex("Validation: step 20, acc 0.[89]"));
}

TEST_F(Experiment, AStudentLearnsFromASavedModel) {
  const std::vector<std::string> steps = {"--timekeeping.nb_epochs=1",
                                          "--timekeeping.nb_samples_per_epoch=1280"};
  for (const char* example : {"fashion_mnist.yaml", "distillation.yaml"}) {
    std::vector<std::string> flags = steps;
    flags.push_back("--cfg_file=" + kExamples + example);
    if (example[0] == 'f') flags.emplace_back("--val_dataset_class=");
    const Outcome trained = run(flags);
    ASSERT_EQ(trained.code, 0) << trained.err;
  }
  std::istringstream rows(read_text(folder / "runs/distillation/train/metrics.csv"));
  std::string header, line, last;
  std::getline(rows, header);
  while (std::getline(rows, line)) last = line;
  EXPECT_THAT(header, HasSubstr("loss"));
  EXPECT_THAT(last, StartsWith("9,"));
}

}  // namespace
}  // namespace cli
