// The experiments of examples/tfimm.
#include <sstream>

#include "cli/experiment_test.h"
#include "konfig/json.h"

namespace cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

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
