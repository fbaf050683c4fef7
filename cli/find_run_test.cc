// Units by their number, wherever a command takes the folder of a run; and kd results.
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/launched_test.h"
#include "cli/program.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::List;
using konfig::Value;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two units with results and one that failed.
class OfUnits : public Launched {
 protected:
  OfUnits() {
    launch("mine", {{{{"lr", 0.5}}, {job("train", metrics("0.25"))}},
                    {{{"lr", 0.1}}, {job("train", metrics("0.125"))}},
                    {{{"lr", 0.9}}, {job("train", "exit 3")}}});
  }
  std::string metrics(const std::string& loss) const {
    const std::string dir = folder_ / "mine_1" + "/" + std::to_string(++made_);
    return "mkdir -p '" + dir +
           "/train'; echo '{\"step\": 7, \"scalars\": {\"losses/fit\": " + loss + "}}' > '" + dir +
           "/train/metrics.jsonl'";
  }
  mutable int made_ = 0;
};
using KdResults = OfUnits;
using KdPlotOfUnits = OfUnits;

TEST_F(KdResults, ARowForEachUnit) {
  const Outcome run = kd({"results", "1"});
  ASSERT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(run.out,
            "  UNIT  STATE     lr   STEP  train/losses/fit\n"
            "  1/1   finished  0.5  7     0.25\n"
            "  1/2   finished  0.1  7     0.125\n"
            "  1/3   failed    0.9                          exit code 3\n");
  EXPECT_THAT(kd({"results", "1", "--sort=fit"}).out, ContainsRegex("  1/2 .*\n  1/1 .*\n  1/3 "));
  EXPECT_THAT(kd({"results", "1", "--sort=-lr"}).out, ContainsRegex("  1/3 .*\n  1/1 .*\n  1/2 "));
}

TEST_F(KdResults, AsCsvAndJson) {
  const std::string dir = folder_ / "mine_1";
  EXPECT_EQ(kd({"results", "1", "--format=csv"}).out,
            "wid,state,lr,step,train/losses/fit,dir,why\n"
            "1,finished,0.5,7,0.25," +
                dir + "/1,\n" + "2,finished,0.1,7,0.125," + dir + "/2,\n" + "3,failed,0.9,,," +
                dir + "/3,exit code 3\n");
  const Value all = json({"results", "1", "--sort=lr"});
  ASSERT_EQ(all.as<List>().size(), 3u);
  const Dict& best = all.as<List>()[0].as<Dict>();
  EXPECT_EQ(best.at("wid"), Value(2));
  EXPECT_EQ(best.at("args"), Value(Dict{{"lr", 0.1}}));
  EXPECT_EQ(best.at("metrics"), Value(Dict{{"train/losses/fit", 0.125}}));
  EXPECT_EQ(best.at("step"), Value(7));
  EXPECT_TRUE(all.as<List>()[2].as<Dict>().at("step").is_none());
  EXPECT_EQ(json({"results", "1/2"}).as<List>().size(), 1u);
}

TEST_F(KdResults, Mistakes) {
  Outcome run = kd({"results", "1", "--sort=los"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: --sort: no column 'los'"));
  run = kd({"results", "1", "--key=losses/fat"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: --key: nothing fits 'losses/fat'"));
  run = kd({"results", "1/1/train"});
  EXPECT_EQ(run.code, kUsage);
  run = kd({"results", "4"});
  EXPECT_EQ(run.code, kFailure);
}

TEST_F(KdPlotOfUnits, ByNumber) {
  const std::string dir = folder_ / "mine_1";
  const Outcome by_folder = kd({"plot", dir + "/1"});
  ASSERT_EQ(by_folder.code, kFine) << by_folder.err;
  EXPECT_EQ(kd({"plot", "1/1"}).out, by_folder.out);
  EXPECT_EQ(kd({"plot", "xid:1/1"}).out, by_folder.out);
  EXPECT_THAT(kd({"plot", "1/1", "1/2"}).out,
              StartsWith("losses/fit: 1/1 train (0.25), 1/2 train (0.125)\n"));
}

TEST_F(KdPlotOfUnits, AFolderWins) {
  fs::create_directories(folder_ / "here/1/1");
  Outcome run = kd({"plot", "1/1"}, folder_ / "here");
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), HasSubstr("1/1: no folder in it has a metrics.jsonl"));
  EXPECT_EQ(kd({"plot", "xid:1/1"}, folder_ / "here").code, kFine);
}

// A config that evaluates a finished run takes the model from there.
TEST_F(OfUnits, InAConfig) {
  const std::string dir = folder_ / "mine_1/2";
  write_text(dir + "/config.json",
             cli::kd({"config", "show", "--cfg=mnist_autoencoder", "--format=json"}).out);
  write_text(dir + "/element_spec.json", R"({"0": []})");
  auto model_of = [&](const std::vector<std::string>& run) {
    std::vector<std::string> args = {"config", "resolve", "--cfg=mnist_eval_only", "--path=model"};
    args.insert(args.end(), run.begin(), run.end());
    return kd(args);
  };
  const Outcome by_folder = model_of({"--cfg.aux.xid=" + dir});
  ASSERT_EQ(by_folder.code, kFine) << by_folder.err;
  EXPECT_THAT(by_folder.out, HasSubstr("FlatAutoencoder"));
  EXPECT_EQ(model_of({"--cfg.aux.xid=1", "--cfg.aux.wid=2"}).out, by_folder.out);
  EXPECT_EQ(model_of({"--cfg.aux.xid=1/2"}).out, by_folder.out);
  EXPECT_EQ(model_of({"--cfg.aux.xid=xid:1/2"}).out, by_folder.out);
  const Outcome none = model_of({"--cfg.aux.xid=7"});
  EXPECT_EQ(none.code, kFailure);
  EXPECT_THAT(none.first_error_line(),
              HasSubstr(".xid: there is no experiment 7: the nearest are"));
}

// The same of any config: its folder, and its own config.
TEST_F(OfUnits, ByFunctionsOfAConfig) {
  const std::string dir = folder_ / "mine_1/2";
  write_text(dir + "/config.json", R"({"seed": 7, "model": {"__qualname__": "a.b:C"}})");
  write_text(folder_ / "uses.json", R"({
      "folder": {"__qualname__": "kauldron.kd:from_xid.get_workdir", "xid": 1, "wid": 2},
      "cfg": {"__qualname__": "kauldron.kd:from_xid.get_cfg", "xid": "1/2"}})");
  const auto part = [&](const std::string& path) {
    const Outcome run = kd({"config", "resolve", "--cfg=" + (folder_ / "uses.json"), path});
    EXPECT_EQ(run.code, kFine) << run.err;
    return run.out;
  };
  EXPECT_THAT(part("--path=folder"), HasSubstr(dir));
  EXPECT_THAT(part("--path=cfg"), AllOf(HasSubstr("seed"), HasSubstr("7"), HasSubstr("C(")));
}

// Evaluators of a run that was launched.
TEST_F(OfUnits, InEval) {
  const Outcome run = kd({"eval", "--cfg=mnist_standalone_eval", "--cfg.workdir=7/1"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), HasSubstr("there is no experiment 7"));
}

// The unit 1 that such a config begins with is not what was meant.
TEST_F(OfUnits, OneOfSeveralIsNamed) {
  const Outcome run = kd({"eval", "--cfg=mnist_eval_only", "--cfg.aux.xid=1"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(),
              HasSubstr("cfg.aux.xid: experiment 1 has 3 units: name one of them, such as 1/1"));
}

TEST_F(KdPlotOfUnits, Mistakes) {
  Outcome run = kd({"plot", "1"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(),
              StartsWith("kd: error: there is no folder 1 here, and experiment 1 has 3 units"));
  run = kd({"plot", "7/3"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_EQ(run.first_error_line(),
            "kd: error: there is no folder 7/3 here, and there is no experiment 7: the nearest are "
            "1 'mine'; `kd status` lists all");
  run = kd({"ckpt", "show", "xid:7"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: there is no experiment 7"));
}

}  // namespace
}  // namespace cli
