#include "cli/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "cli/errors.h"
#include "cli/metrics_files.h"
#include "cli/spawn_test.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using konfig::Dict;
using kxm::JobState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string record(int step, const std::string& scalars) {
  return R"({"step": )" + std::to_string(step) + R"(, "time": 1.5, "scalars": {)" + scalars +
         "}}\n";
}

class ResultsTest : public testing::Test {
 protected:
  std::string write(const std::string& file, const std::string& text) {
    const fs::path path = folder_ / file;
    fs::create_directories(path.parent_path());
    write_text(path.string(), text);
    return path.string();
  }
  kxm::UnitRow unit(int wid, Dict args, JobState state = JobState::finished) {
    return {.wid = wid,
            .identity = "",
            .args = std::move(args),
            .dir = folder_ / std::to_string(wid),
            .state = state,
            .jobs = {}};
  }
  // Three units: two with results, one that waits.
  std::vector<kxm::UnitRow> units() {
    write("1/train/metrics.jsonl",
          record(0, R"("losses/fit": 2.0, "losses/total": 2.0)") +
              record(10, R"("losses/fit": 0.5, "losses/total": 0.5, "perf/speed": 7)") +
              R"({"step": 20, "scal)");
    write("1/eval/metrics.jsonl", record(10, R"("metrics/acc": 0.75)"));
    write("2/train/metrics.jsonl", record(8, R"("losses/fit": 0.25, "losses/total": 0.25)"));
    write("2/eval/metrics.jsonl", record(10, R"("metrics/acc": NaN)"));
    return {unit(1, {{"cfg.lr", 0.1}, {"name", "b"}}), unit(2, {{"cfg.lr", 0.01}, {"name", "a"}}),
            unit(3, {{"cfg.lr", 1}, {"name", "c"}}, JobState::waiting)};
  }
  static std::vector<int> order(Results results, const std::string& key) {
    sort_results(results, key);
    std::vector<int> out;
    for (auto& row : results.rows) out.push_back(row.wid);
    return out;
  }
  static std::string usage_error(Results results, const std::string& key) {
    try {
      sort_results(results, key);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "no error";
  }
  TempFolder folder_;
};

TEST_F(ResultsTest, TheLastOfEachMetric) {
  const Results results = read_results(units(), {});
  EXPECT_THAT(results.swept, ElementsAre("cfg.lr", "name"));
  EXPECT_THAT(results.metrics, ElementsAre("eval/metrics/acc", "train/losses/fit"));
  ASSERT_EQ(results.rows.size(), 3u);
  EXPECT_EQ(results.rows[0].step, 10);
  EXPECT_THAT(results.rows[0].metrics,
              ElementsAre(Pair("eval/metrics/acc", 0.75), Pair("train/losses/fit", 0.5),
                          Pair("train/losses/total", 0.5), Pair("train/perf/speed", 7)));
  EXPECT_EQ(results.rows[0].why, "");
  EXPECT_TRUE(std::isnan(results.rows[1].metrics.at("eval/metrics/acc")));
  EXPECT_EQ(results.rows[2].step, std::nullopt);
  EXPECT_EQ(results.rows[2].why, "waiting");
}

TEST_F(ResultsTest, ChosenKeys) {
  EXPECT_THAT(read_results(units(), {"losses/*"}).metrics,
              ElementsAre("train/losses/fit", "train/losses/total"));
  EXPECT_THAT(read_results(units(), {"eval/*", "perf/speed"}).metrics,
              ElementsAre("eval/metrics/acc", "train/perf/speed"));
  try {
    read_results(units(), {"eval/metrics/ac"});
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("--key: nothing fits 'eval/metrics/ac'; did you mean "
                                    "'eval/metrics/acc'?"));
  }
}

TEST_F(ResultsTest, NumbersOfOtherNames) {
  write("1/train/metrics.jsonl",
        record(10, R"("acc": 0.5, "schedules/learning_rate": 0.1, "perf_stats/steps": 7)"));
  EXPECT_THAT(read_results({unit(1, {})}, {}).metrics, ElementsAre("train/acc"));
}

TEST_F(ResultsTest, StepsOfCollectionsThatDiffer) {
  write("1/train/metrics.jsonl", record(100, R"("losses/fit": 2.0)"));
  write("1/eval/metrics.jsonl", record(140, R"("losses/fit": 1.0)"));
  write("2/train/metrics.jsonl", record(120, R"("losses/fit": 2.0)"));
  write("2/eval/metrics.jsonl", record(120, R"("losses/fit": 1.0)"));
  const Results results = read_results({unit(1, {}), unit(2, {})}, {});
  EXPECT_THAT(results.collections, ElementsAre("eval", "train"));
  EXPECT_THAT(results.rows[0].steps, ElementsAre(Pair("eval", 140), Pair("train", 100)));
  EXPECT_EQ(results.rows[0].step, 140);
  EXPECT_THAT(order(results, "train/step"), ElementsAre(1, 2));
  EXPECT_THAT(order(results, "eval/step"), ElementsAre(2, 1));
  EXPECT_THAT(read_results({unit(2, {})}, {}).collections, ElementsAre());
}

TEST_F(ResultsTest, OlderThanTheTraining) {
  write("1/train/metrics.jsonl", record(0, R"("losses/fit": 2.0)"));
  write("1/train_complete.txt", "20");
  EXPECT_EQ(read_results({unit(1, {})}, {}).rows[0].why, "train: of step 0, trained to 20");
  write("1/train/metrics.jsonl", record(20, R"("losses/fit": 2.0)"));
  EXPECT_EQ(read_results({unit(1, {})}, {}).rows[0].why, "");
}

// What a killed writer or a power cut leaves, and what no number is.
TEST_F(ResultsTest, LinesThatAreNoRecordsAreLeftOut) {
  const std::string bad = "{\"step\": 2, \"sc{\"step\": 3}\n";
  const std::string file = write("1/train/metrics.jsonl",
                                 record(1, R"("losses/fit": 3, "metrics/word": "high")") + bad +
                                     record(4, R"("losses/fit": 1)") + std::string(8, '\0') + "\n");
  const ResultsRow row = read_results({unit(1, {})}, {}).rows.at(0);
  EXPECT_EQ(row.step, 4);
  EXPECT_THAT(row.metrics, ElementsAre(Pair("train/losses/fit", 1)));
  EXPECT_THAT(row.why, HasSubstr("2 lines are no records and left out, line 2 first: "));
  // In the end of a long file.
  std::string text;
  for (int i = 1; i <= 5000; ++i) text += record(i, R"("losses/fit": )" + std::to_string(i));
  write_text(file, text + bad + record(5001, R"("losses/fit": 7)"));
  EXPECT_THAT(last_metrics(file).problem, HasSubstr("line 5001 is no record"));
  EXPECT_THAT(last_metrics(file).values, ElementsAre(Pair("losses/fit", 7)));
  // A folder or a pipe is no file of metrics.
  fs::create_directories(folder_ / "2/train/metrics.jsonl");
  EXPECT_EQ(read_results({unit(2, {})}, {}).rows.at(0).why, "no */metrics.jsonl");
}

TEST_F(ResultsTest, WithoutResults) {
  kxm::UnitRow failed = unit(1, {}, JobState::failed);
  failed.jobs.push_back({.wid = 1, .what = {.name = "train"}, .state = JobState::failed});
  kxm::AttemptRow attempt;
  attempt.ended = {.how = kxm::End::exit_code, .code = 3};
  failed.jobs[0].attempts.push_back(attempt);
  kxm::UnitRow homeless = unit(2, {});
  homeless.dir = "";
  write("4/train/metrics.jsonl", "no json\n");
  const Results results = read_results({failed, homeless, unit(3, {}), unit(4, {})}, {});
  EXPECT_EQ(results.rows[0].why, "exit code 3");
  EXPECT_EQ(results.rows[1].why, "no folder");
  EXPECT_EQ(results.rows[2].why, "no */metrics.jsonl");
  EXPECT_THAT(results.rows[3].why, HasSubstr("4/train/metrics.jsonl: "));
}

TEST_F(ResultsTest, Order) {
  const Results results = read_results(units(), {});
  EXPECT_THAT(order(results, "cfg.lr"), ElementsAre(2, 1, 3));
  EXPECT_THAT(order(results, "-lr"), ElementsAre(3, 1, 2));
  EXPECT_THAT(order(results, "name"), ElementsAre(2, 1, 3));
  EXPECT_THAT(order(results, "-name"), ElementsAre(3, 1, 2));
  EXPECT_THAT(order(results, "-wid"), ElementsAre(3, 2, 1));
  // What has no number comes last, whatever the direction.
  EXPECT_THAT(order(results, "losses/fit"), ElementsAre(2, 1, 3));
  EXPECT_THAT(order(results, "-fit"), ElementsAre(1, 2, 3));
  EXPECT_THAT(order(results, "acc"), ElementsAre(1, 2, 3));
  EXPECT_THAT(order(results, "-acc"), ElementsAre(1, 2, 3));
  EXPECT_THAT(order(results, "total"), ElementsAre(2, 1, 3));  // not shown
}

TEST_F(ResultsTest, NumbersThatWereTypedAsFlags) {
  const Results results = read_results({unit(1, {{"x", "10"}}), unit(2, {{"x", "9"}})}, {});
  EXPECT_THAT(order(results, "x"), ElementsAre(2, 1));
}

TEST_F(ResultsTest, UnknownColumns) {
  write("1/eval/metrics.jsonl", record(10, R"("losses/fit": 1, "losses/x": 1)"));
  Results results = read_results(units(), {});
  EXPECT_THAT(usage_error(results, "ac"), HasSubstr("--sort: no column 'ac'; did you mean 'acc'?"));
  results.metrics = {"eval/losses/fit", "train/losses/fit"};
  EXPECT_EQ(usage_error(results, "-fit"),
            "--sort: 'fit' may be eval/losses/fit or train/losses/fit");
}

TEST_F(ResultsTest, OfALongFileTheEnds) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += record(i, R"("losses/fit": )" + std::to_string(i));
  ASSERT_GT(text.size(), std::size_t{1} << 18);
  const std::string file = write("long/train/metrics.jsonl", text);
  EXPECT_EQ(last_metrics(file).step, 4999);
  EXPECT_THAT(last_metrics(file).values, ElementsAre(Pair("losses/fit", 4999)));
  // A key of the beginning is found wherever it was last.
  text.insert(text.find("}}\n") + 3, record(0, R"("rare": 1)"));
  text.insert(text.find("}}\n", text.size() / 2) + 3, record(2500, R"("rare": 2)"));
  write_text(file, text);
  EXPECT_THAT(last_metrics(file).values, ElementsAre(Pair("losses/fit", 4999), Pair("rare", 2)));
}

}  // namespace
}  // namespace cli
