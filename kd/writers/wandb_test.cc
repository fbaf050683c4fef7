// WandbWriter: files of W&B, what a resumed run keeps of them, and agents.
#include "kd/writers/wandb_test.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kd/core/durable.h"
#include "konfig/json.h"

namespace kd::writers {
namespace {

using konfig::Error;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Wandb, ARunHasItsNameItsConfigAndItsNumbers) {
  auto writer = open();
  writer->write_config({{"seed", 3},
                        {"optimizer", konfig::call("optax:adam", {{"learning_rate", 1e-3}})},
                        {"sizes", konfig::Tuple{1, 2}},
                        {"parts", konfig::List{konfig::Dict{{"a", 1}}, konfig::Dict{{"a", 2}}}},
                        {"none", konfig::None{}},
                        {"empty", konfig::Dict{}},
                        {"a.b", "text"}});
  writer->write({.step = 0, .scalars = {{"losses/total", 0.1}, {"nan", std::nan("")}}});
  writer->write({.step = 10, .scalars = {{"losses/total", 1e300}, {"inf", INFINITY}}});
  const Read found = read();
  EXPECT_EQ(found.run.project, "digits");
  EXPECT_EQ(found.run.entity, "team");
  EXPECT_EQ(found.run.name, "baseline");
  EXPECT_EQ(found.run.sweep_id, "");
  EXPECT_GT(found.run.start_time, 1.7e9);
  EXPECT_EQ(found.config,
            (std::map<std::string, std::string>{{"seed", "3"},
                                                {"optimizer.__qualname__", "\"optax:adam\""},
                                                {"optimizer.learning_rate", "0.001"},
                                                {"sizes", "[1, 2]"},
                                                {"parts[0].a", "1"},
                                                {"parts[1].a", "2"},
                                                {"none", "null"},
                                                {"empty", "{}"},
                                                {"a.b", "\"text\""}}));
  EXPECT_EQ(found.curve("train/losses/total"), (Curve{{0, "0.1"}, {10, "1e+300"}}));
  EXPECT_EQ(found.curve("train/nan"), (Curve{{0, "NaN"}}));
  EXPECT_EQ(found.curve("train/inf"), (Curve{{10, "Infinity"}}));
  // The name of its folder is the time and the id.
  EXPECT_THAT(file().string(), HasSubstr("-" + found.run.id + "/run-" + found.run.id + ".wandb"));
  EXPECT_THAT(file().parent_path().filename().string(),
              ::testing::MatchesRegex("offline-run-[0-9]{8}_[0-9]{6}-[a-z0-9]{8}"));
  EXPECT_EQ(fs::read_symlink(workdir_ / "wandb/latest-run"), file().parent_path().filename());
}

TEST_F(Wandb, TheConfigOfTheWriterBeatsThatOfTheRun) {
  WandbWriter options = only();
  options.config = {{"problem.weight_decay", 0.1}};
  auto writer = writers::open(options, workdir_, "train");
  writer->write_config({{"seed", 3}});
  writer->write(record(0));
  EXPECT_EQ(read().config, (std::map<std::string, std::string>{{"problem.weight_decay", "0.1"}}));
}

TEST_F(Wandb, TheUsualFilesAreThereToo) {
  writers::open(WandbWriter{.console = false}, workdir_, "train")->write(record(7));
  EXPECT_EQ(read_file(workdir_ / "train/metrics.csv"), "step,losses/total\n7,3.5\n");
  EXPECT_TRUE(fs::exists(workdir_ / "train/metrics.jsonl"));
}

TEST_F(Wandb, CollectionsAreOneRunAndLogTheSameStep) {
  auto eval = open(0, "eval");
  auto train = open(0);
  eval->write({.step = 5, .scalars = {{"metrics/accuracy", 0.5}}});
  train->write(record(5));
  eval->write({.step = 10, .scalars = {{"metrics/accuracy", 0.75}}});
  const Read found = read();
  EXPECT_EQ(found.curve("eval/metrics/accuracy"), (Curve{{5, "0.5"}, {10, "0.75"}}));
  EXPECT_EQ(found.curve("train/losses/total"), (Curve{{5, "2.5"}}));
  // Other fields would be another run in the same place.
  WandbWriter other = only();
  other.project = "letters";
  EXPECT_THROW(writers::open(other, workdir_, "other"), Error);
}

TEST_F(Wandb, AProcessThatOnlyEvaluatesHasItsOwnRunInTheGroupOfTheTraining) {
  open()->write(record(0));
  const std::string id = read().run.id;
  for (int step : {100, 200}) open(step, "eval")->write({.step = step, .scalars = {{"x", 1}}});
  ASSERT_EQ(files().size(), 2u);
  const fs::path own = workdir_ / "wandb" / fs::read_symlink(workdir_ / "wandb/latest-run-eval") /
                       ("run-" + id + "-eval.wandb");
  const Read found = writers::read(own);
  EXPECT_EQ(found.run.group, id);
  EXPECT_EQ(found.run.job_type, "eval");
  EXPECT_EQ(found.curve("eval/x"), (Curve{{100, "1.0"}, {200, "1.0"}}));
}

TEST_F(Wandb, ImagesHistogramsAndTexts) {
  auto writer = open();
  writer->write({.step = 4,
                 .images = {{"summaries/../im ages", at::full({2, 3, 5, 1}, 0.5)}},
                 .histograms = {{"weights", {at::arange(10), 3}}, {"none", {at::zeros({0}), 3}}},
                 .texts = {{"one", {"a \"quoted\" one\n"}}, {"two", {"a", "b"}}}});
  const auto row = read().rows.at(0);
  EXPECT_EQ(row.at("train/weights._type"), "\"histogram\"");
  EXPECT_EQ(row.at("train/weights.values"), "[3, 3, 4]");
  EXPECT_EQ(row.at("train/weights.bins"), "[0.0, 3.0, 6.0, 9.0]");
  EXPECT_EQ(row.at("train/none.values"), "[]");
  EXPECT_EQ(row.at("train/one"), R"("a \"quoted\" one\n")");
  EXPECT_EQ(row.at("train/two"), R"(["a", "b"])");
  const std::string name = "train/summaries/../im ages";
  EXPECT_EQ(row.at(name + "._type"), "\"images/separated\"");
  EXPECT_EQ(row.at(name + ".count"), "2");
  EXPECT_EQ(row.at(name + ".width"), "5");
  EXPECT_EQ(row.at(name + ".height"), "3");
  EXPECT_EQ(row.at(name + ".format"), "\"png\"");
  EXPECT_EQ(row.at(name + ".filenames"), R"(["media/images/train/summaries/__/im_ages_4_0.png", )"
                                         R"("media/images/train/summaries/__/im_ages_4_1.png"])");
  const fs::path media = file().parent_path() / "files/media/images/train/summaries/__";
  EXPECT_THAT(read_file(media / "im_ages_4_0.png"), HasSubstr("PNG"));
  // They go with the step.
  writer.reset();
  open(4)->write(record(4));
  EXPECT_FALSE(fs::exists(media / "im_ages_4_0.png"));
}

TEST_F(Wandb, ArraysAreRemarkedOnOnce) {
  auto writer = open();
  ::testing::internal::CaptureStderr();
  for (int i : {0, 1}) writer->write({.step = i, .arrays = {{"summaries/codes", at::zeros({3})}}});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("summaries/codes is an array"), HasSubstr("NpzWriter")));
}

TEST_F(Wandb, AResumedRunKeepsItsIdAndHasEachStepOnce) {
  {
    auto eval = open(0, "eval");
    auto train = open(0);
    train->write_config({{"num_train_steps", 30}});
    for (int i = 0; i < 30; i += 5) {
      eval->write({.step = i, .scalars = {{"x", i}}});
      train->write(record(i));
    }
  }
  const Read before = read();
  auto eval = open(20, "eval");
  auto train = open(20);
  train->write_config({{"num_train_steps", 40}});
  for (int i = 20; i < 40; i += 5) {
    eval->write({.step = i, .scalars = {{"x", -i}}});
    train->write(record(i));
  }
  const Read after = read();
  EXPECT_EQ(after.run.id, before.run.id);
  EXPECT_EQ(after.run.start_time, before.run.start_time);
  EXPECT_EQ(after.config.at("num_train_steps"), "40");
  EXPECT_EQ(after.curve("eval/x"), (Curve{{0, "0.0"},
                                          {5, "5.0"},
                                          {10, "10.0"},
                                          {15, "15.0"},
                                          {20, "-20.0"},
                                          {25, "-25.0"},
                                          {30, "-30.0"},
                                          {35, "-35.0"}}));
  EXPECT_EQ(after.curve("train/losses/total").size(), 8u);
  double runtime = 0;
  for (auto& row : after.rows) {
    const double next = std::stod(row.at("_runtime"));
    EXPECT_GE(next, runtime);
    runtime = next;
  }
}

TEST_F(Wandb, ACollectionThatIsOpenedLateDropsOnlyItsOwnSteps) {
  {
    auto train = open(0);
    auto inner = open(0, "readout.train.5");
    for (int i = 0; i < 3; ++i) inner->write({.step = i, .scalars = {{"x", i}}});
    train->write(record(5));
  }
  auto train = open(3);  // step 5 comes again
  for (int i : {3, 4, 5}) train->write(record(i));
  auto inner = open(1, "readout.train.5");
  for (int i : {1, 2}) inner->write({.step = i, .scalars = {{"x", -i}}});
  EXPECT_EQ(read().curve("train/losses/total"), (Curve{{3, "1.5"}, {4, "2.0"}, {5, "2.5"}}));
  EXPECT_EQ(read().curve("readout.train.5/x"), (Curve{{0, "0.0"}, {1, "-1.0"}, {2, "-2.0"}}));
}

TEST_F(Wandb, WithoutAStepItIsContinuedAsItIs) {
  open()->write(record(3));
  open()->write(record(1));
  EXPECT_EQ(read().curve("train/losses/total"), (Curve{{3, "1.5"}, {1, "0.5"}}));
}

// The last record tells how the run ended.
std::string last_record(const fs::path& file) {
  return io::read_wandb_log(io::map_file(file)).records.back();
}

TEST_F(Wandb, ItsEndIsWrittenAndTellsHowToUpload) {
  auto ends_with = [&](int code) {
    return last_record(file()).find(wandb::exit_record(0, code, 0).substr(2, 4));
  };
  ::testing::internal::CaptureStderr();
  {
    auto writer = open(0);
    writer->write(record(0));
    writer->finish();
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("wandb sync " + file().parent_path().string() + "\n"));
  EXPECT_NE(ends_with(0), std::string::npos);
  base::write_synced(file().string() + ".synced", "");
  open(1)->write(record(1));  // stopped
  EXPECT_FALSE(fs::exists(file().string() + ".synced"));
  EXPECT_NE(ends_with(255), std::string::npos);
  try {
    auto writer = open(2);
    writer->write(record(2));
    throw std::runtime_error("a failure");
  } catch (const std::runtime_error&) {
  }
  EXPECT_NE(ends_with(1), std::string::npos);
  EXPECT_EQ(read().rows.size(), 3u);
}

TEST_F(Wandb, AnAgentChoosesIdSweepProjectAndEntity) {
  ::setenv("WANDB_SWEEP_ID", "sweep7", 1);
  ::setenv("WANDB_RUN_ID", "agents_1", 1);
  ::setenv("WANDB_ENTITY", "lab", 1);
  ::setenv("WANDB_API_KEY", "0123456789secret", 1);
  open(0)->write(record(0));
  Read found = read();
  EXPECT_EQ(found.run.id, "agents_1");
  EXPECT_EQ(found.run.sweep_id, "sweep7");
  EXPECT_EQ(found.run.entity, "lab");
  EXPECT_EQ(found.run.project, "digits");
  EXPECT_EQ(found.run.name, "baseline-agents_1");
  EXPECT_THAT(file().parent_path().string(), ::testing::EndsWith("-agents_1"));
  EXPECT_THAT(read_file(file()), Not(HasSubstr("secret")));
  // The same agent's run goes on, another's is another.
  open(1)->write(record(1));
  EXPECT_EQ(read().rows.size(), 2u);
  ::setenv("WANDB_RUN_ID", "agents_2", 1);
  open(2)->write(record(2));
  EXPECT_EQ(files().size(), 2u);
  ::setenv("WANDB_RUN_ID", "../x", 1);
  EXPECT_THROW(open(3)->write(record(3)), Error);
  ::unsetenv("WANDB_API_KEY");
}

TEST_F(Wandb, AnIdThatNoFolderCanHaveIsRefused) {
  for (const char* id : {"a/b", "..", "a b"}) {
    WandbWriter options = only();
    options.id = id;
    EXPECT_THROW(writers::open(options, workdir_, "train"), Error) << id;
  }
  ::setenv("WANDB_RUN_ID", "a b", 1);
  EXPECT_THROW(open(), Error);
  EXPECT_FALSE(fs::exists(workdir_ / "wandb"));
}

TEST_F(Wandb, ARunIsWrittenByOneProcessAtATime) {
  auto writer = open(0);
  writer->write(record(0));
  wandb::Run other(workdir_, {});  // as in another process
  other.open("train", 0);
  try {
    other.log("train", 1, {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("another process is writing this run"));
  }
}

}  // namespace
}  // namespace kd::writers
