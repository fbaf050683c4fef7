// kd launch --dry_run: what it prints, and that it is what the launch runs.
#include "cli/launch_test.h"
#include "cli/program.h"
#include "konfig/json.h"
#include "konfig/value.h"

namespace cli {
namespace {

using konfig::Dict;
using konfig::List;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(Launch, ADryRunWritesNothing) {
  write_script("job.sh", "echo >> ran\n");
  Outcome run = sweep({"--dry_run"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("3 units, would be experiment 1 on this machine\n"),
                             HasSubstr("1/2  x=2"), HasSubstr("job.sh --x=2")));
  run = sweep({"--dry_run", "--format=json"});
  const Dict all = konfig::parse_json(run.out).as<Dict>();
  const Dict unit = all.at("experiment").as<Dict>().at("units").as<List>()[1].as<Dict>();
  EXPECT_EQ(unit.at("id"), konfig::Value(2));
  EXPECT_EQ(unit.at("identity"), konfig::Value("sweep_1"));
  EXPECT_EQ(unit.at("ui_args").as<Dict>().at("x"), konfig::Value(2));
  const Dict job = unit.at("jobs").as<Dict>().at("main").as<Dict>();
  EXPECT_THAT(konfig::to_json(job.at("argv")), HasSubstr("--x=2"));
  EXPECT_TRUE(job.find("env"));
  EXPECT_TRUE(all.at("jobs").as<Dict>().find("main"));
  EXPECT_THAT(folder_.names(), ElementsAre("job.sh"));
}

// What a dry run prints is what is launched, kept copies included.
TEST_F(Launch, ADryRunPrintsWhatTheLaunchRuns) {
  write_script("job.sh", "true\n");
  const Outcome dry = sweep({"--dry_run", "--format=json"});
  ASSERT_EQ(dry.code, kFine) << dry.err;
  ASSERT_EQ(sweep().code, kFine);
  const Dict planned = konfig::parse_json(dry.out).as<Dict>().at("experiment").as<Dict>();
  for (int wid : {1, 2, 3}) {
    const Dict unit = planned.at("units").as<List>()[static_cast<std::size_t>(wid - 1)].as<Dict>();
    const Outcome run = kd({"status", "1/" + std::to_string(wid) + "/main", "--format=json"});
    EXPECT_EQ(unit.at("jobs").as<Dict>().at("main").as<Dict>().at("argv"),
              konfig::parse_json(run.out).as<Dict>().at("argv"));
  }
}

TEST_F(Launch, TagsAndNoteOfTheSetup) {
  auto planned = [&](const std::string& note) {
    return launch({"--cfg=mnist_autoencoder",
                   "--cfg.setup=py::kd.train.Setup(tags='a,b', "
                   "note_template='" +
                       note + "')",
                   "--xp.tags=c", "--dry_run", "--format=json"});
  };
  const Outcome run = planned("seed {seed}, lr {cfg.optimizer.learning_rate}");
  ASSERT_EQ(run.code, kFine) << run.err;
  const Dict plan = konfig::parse_json(run.out).as<Dict>().at("experiment").as<Dict>();
  EXPECT_EQ(plan.at("notes"), konfig::Value("seed 42, lr 0.003"));
  const List tags = plan.at("tags").as<List>();
  EXPECT_THAT(std::vector<konfig::Value>(tags.begin(), tags.begin() + 3),
              ElementsAre("c", "a", "b"));
  const Outcome wrong = planned("{sed}");
  EXPECT_EQ(wrong.code, kUsage);
  EXPECT_THAT(wrong.err, HasSubstr("cfg.setup.note_template: "));
}

TEST_F(Launch, CalledAfterTheProgram) {
  const auto title = [&](std::vector<std::string> args) {
    args.emplace_back("--dry_run");
    const std::string out = launch(args).out;
    return out.substr(0, out.find(':'));
  };
  EXPECT_EQ(title({"--xp=single", "--xp.target=/bin/true"}), "true");
  EXPECT_EQ(title({"--xp=single", "--xp.jobs.main.target=/bin/true"}), "true");
  EXPECT_EQ(title({"--xp=single", "--xp.target=/bin/true", "--xp.name=mine"}), "mine");
}

TEST_F(Launch, SweptTextsAndListsHaveNoQuotes) {
  const Outcome run = launch({"--xp=single", "--xp.target=/bin/true", "--dry_run",
                              "--sweep.opt=[adam]", "--sweep.sizes=[[1,2]]", "--sweep.e=[\"\"]"});
  EXPECT_THAT(run.out, HasSubstr("1/1  opt=adam, sizes=[1, 2], e=''\n"));
}

}  // namespace
}  // namespace cli
