// kd run: how the config of an experiment is made, shown and refused.
#include <filesystem>

#include "cli/complete.h"
#include "cli/errors.h"
#include "cli/experiment_test.h"
#include "cli/run_words.h"
#include "konfig/json.h"

namespace cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

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
  // Line breaks, too.
  const std::string name = "--experiment_name=\nit's\n a\\ \"b\"\n";
  write_text(folder / "flat", run({"--cfg_file=five.yaml", "--print=flat", name}).out);
  const Outcome lines = shell("xargs " KD_BINARY_DIR "/kd run --print=json < flat", folder.path());
  EXPECT_EQ(konfig::parse_json(lines.out).as<konfig::Dict>().at("experiment_name"),
            konfig::Value(name.substr(name.find('=') + 1)));
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
      {{"--print=xml"}, "--print: expected yaml, flat, json or kd, got 'xml'"},
      {{"--print"}, "--print: expects a value: --print={yaml,flat,json,kd}"},
      {{"--print=yaml", "--print=flat"}, "--print: expected one value, given 2"},
      {{"--threads"}, "--threads: expects a value: --threads=N"},
      {{"--load=exp.yaml"}, "--load: exp.yaml: expected a C++ file"},
      {{"--load"}, "--load: expects a C++ file"},
      {{"--load="}, "--load: expects a C++ file: --load=my_problem.cc"},
      {{"--cfg_file=none.yaml"}, "none.yaml"},
      {{"--device=tpu"}, "--device: device 'tpu': expected cpu"},
      {{"--problem.optimizer.lr_schedule_class=LRConst"},
       "did you mean 'LRConstFactory'? (registered: LRConstFactory, LRCosineDecayFactory, "},
      {{"--trainer_class=ModelFactory", "--print=yaml"},
       "--trainer_class: 'ModelFactory' is a class for model, student or teacher, not for trainer; "
       "choose SingleGPUTrainer"},
      {{"--trainer_class=", "--print=yaml"},
       "--trainer_class: no class is chosen, its name is empty; choose SingleGPUTrainer"},
      {{"--timekeeping_class=", "--print=flat"}, "is empty; choose Timekeeping"},
      {{"--problem.model_class=", "--print=json"},
       "--problem.model_class: no class is chosen, its name is empty; choose "},
      {{"--problem.optimizer_class=", "--print=flat"},
       "--problem.optimizer_class: no class is chosen, its name is empty; choose OptimizerFactory"},
      {{"--trainer_class=Timekeeping", "--print=yaml"},
       "--trainer_class: 'Timekeeping' is a class for timekeeping, not for trainer"},
      {{"--problem.model_class=ModelConfig", "--print=flat"},
       "--problem.model_class: 'ModelConfig' is a config, and makes no objects; choose "},
      {{"--problem.optimizer.lr_schedule_class=LRCosineDecayFactory",
        "--timekeeping.nb_samples_per_epoch=-1"},
       "error: problem.optimizer.lr_schedule: timekeeping.nb_samples_per_epoch is not set, but "
       "nb_steps needs it"},
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
  std::string config = run({"--cfg_file=exp.yaml", "--print=kd"}).out;
  config.replace(config.find("ModelFactory"), 12, "LoadedModels");
  write_text(folder / "kd.json", config);
  EXPECT_THAT(run({"--cfg_file=kd.json", "--print=flat"}).err,
              AllOf(HasSubstr("no class is registered as 'LoadedModels'"),
                    HasSubstr("A class of your own needs its file: --load=FILE.cc")));
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
  // A name that another class has.
  write_text(folder / "taken.cc", R"(#include "kd/problems/experiment.h"
namespace mine {
struct Config {
  int n = 1;
};
struct DistillationProblem {
  using cfg_class = Config;
  explicit DistillationProblem(const Config&) {}
};
}  // namespace mine
CFG_SERIALIZABLE(mine::DistillationProblem);
)");
  const Outcome taken = run({"--cfg_file=exp.yaml", "--load=taken.cc", "--print=flat"});
  EXPECT_EQ(taken.code, 2);
  EXPECT_THAT(taken.err, AllOf(HasSubstr("--load: DistillationProblem is registered twice: at "),
                               HasSubstr("taken.cc")));
  const Outcome map = run({"--cfg_file=exp.yaml", "--load=map.cc", "--print=flat"});
  EXPECT_EQ(map.code, 2);
  EXPECT_THAT(map.err,
              HasSubstr("--load: map.cc:7:1: error: MapConfig::sizes: tfimm: a field of a config "
                        "class is an int,"));
}

}  // namespace
}  // namespace cli
