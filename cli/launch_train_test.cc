// kd launch with real trainings, as short as they can be.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/launched_test.h"
#include "cli/program.h"
#include "cli/small_run_test.h"
#include "konfig/json.h"
#include "konfig/value.h"
#include "test_paths.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::List;
using konfig::Value;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kCache = KD_BINARY_DIR "/cli_test_cache";

// The value at a path of maps: "model.encoder.features".
Value at(Value value, const std::string& path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    value = Value(value.as<Dict>().at(path.substr(begin, end - begin)));
    begin = end + 1;
  }
  return value;
}
// Copies, for loops over them.
List list_at(const Value& value, const std::string& path) { return at(value, path).as<List>(); }
Dict dict_at(const Value& value, const std::string& path) { return at(value, path).as<Dict>(); }

class LaunchTrain : public Launched {
 protected:
  using Words = std::vector<std::string>;

  Outcome here(const Words& args) const { return kd(args, folder_.path()); }
  // The main example over two seeds: experiment 1.
  Outcome two_seeds() const {
    return here(small_run("launch", {"--cfg.num_train_steps=1", "--sweep.seed=[11,12]"}));
  }
  // Folders of units, sorted.
  Words folders(int xid) const {
    Words out;
    for (const Value& unit : list_at(json({"status", std::to_string(xid)}), "units")) {
      out.push_back(at(unit, "dir").as<std::string>());
    }
    return out;
  }
  // Of a unit's config.json.
  static Value config_at(const std::string& folder, const std::string& path) {
    return at(konfig::parse_json(read_text(folder + "/config.json")), path);
  }
  // The command lines that would run, by unit and job: "1/train".
  std::map<std::string, Words> planned(Words args) const {
    args.insert(args.begin(), "launch");
    args.insert(args.end(), {"--dry_run", "--format=json"});
    const Outcome run = here(args);
    EXPECT_EQ(run.code, kFine) << run.err;
    std::map<std::string, Words> out;
    for (const Value& unit : list_at(konfig::parse_json(run.out), "experiment.units")) {
      for (auto& [name, job] : dict_at(unit, "jobs")) {
        Words& argv = out[at(unit, "id").repr() + "/" + name.as<std::string>()];
        for (const Value& word : list_at(job, "argv")) argv.push_back(word.as<std::string>());
      }
    }
    return out;
  }
};

TEST_F(LaunchTrain, ASweep) {
  const Outcome run = two_seeds();
  ASSERT_EQ(run.code, kFine) << run.err << run.out;
  EXPECT_THAT(run.out, HasSubstr("2 finished"));
  const Words dirs = folders(1);
  ASSERT_THAT(dirs, ElementsAre(EndsWith("runs/1/1-seed=11"), EndsWith("runs/1/2-seed=12")));
  for (int i : {0, 1}) {
    EXPECT_TRUE(fs::exists(dirs[i] + "/train_complete.txt"));
    EXPECT_EQ(config_at(dirs[i], "seed"), Value(11 + i));
    EXPECT_EQ(config_at(dirs[i], "workdir"), Value(dirs[i]));
  }
  const List rows = json({"results", "1"}).as<List>();
  ASSERT_EQ(rows.size(), 2u);
  std::vector<double> losses;
  for (int i : {0, 1}) {
    EXPECT_EQ(at(rows[i], "args.seed"), Value(11 + i));
    EXPECT_EQ(at(rows[i], "state"), Value("finished"));
    EXPECT_EQ(at(rows[i], "dir"), Value(dirs[i]));
    losses.push_back(at(rows[i], "metrics").as<Dict>().at("train/losses/recon").as<double>());
  }
  EXPECT_NE(losses[0], losses[1]);
}

TEST_F(LaunchTrain, EvaluatorsInJobsOfTheirOwn) {
  const Words small = {"launch",
                       "--cfg=mnist_standalone_eval",
                       "--cfg.num_train_steps=1",
                       "--cfg.train_ds.batch_size=16",
                       "--cfg.train_ds.num_workers=0",
                       "--cfg.checkpointer.save_interval_steps=1",
                       "--cfg.evals.eval1.num_batches=1",
                       "--cfg.evals.eval2.num_batches=1",
                       "--cfg.evals.eval3.num_batches=1"};
  // One job cannot have two sizes.
  Words differ = small;
  differ.insert(differ.end(), {"--cfg.evals.eval1.run.requirements.cpu=1",
                               "--cfg.evals.eval2.run.requirements.cpu=2"});
  Outcome run = here(differ);
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.first_error_line(),
              AllOf(HasSubstr("job_group 'eval_along'"),
                    HasSubstr("--cfg.evals.eval1.run.requirements.cpu is 1"),
                    HasSubstr("--cfg.evals.eval2.run.requirements.cpu is 2"),
                    HasSubstr("each a job_group of its own"), Not(HasSubstr("on_conflict"))));
  EXPECT_FALSE(fs::exists(folder_ / "runs"));
  EXPECT_TRUE(json({"status"}).as<List>().empty());

  run = here(small);
  ASSERT_EQ(run.code, kFine) << run.err << run.out;
  const Value unit = at(json({"status", "1"}), "units").as<List>()[0];
  Words names;
  for (const Value& job : list_at(unit, "jobs")) {
    names.push_back(at(job, "name").as<std::string>());
    EXPECT_EQ(at(job, "state"), Value("finished"));
  }
  EXPECT_THAT(names, ElementsAre("train", "eval_along", "eval3"));
  const std::string dir = folders(1).at(0);
  for (const char* eval : {"eval1", "eval2", "eval3"}) {
    EXPECT_THAT(read_text(dir + "/" + eval + "/metrics.jsonl"), HasSubstr("losses/recon")) << eval;
  }
  const Dict metrics = at(json({"results", "1"}).as<List>()[0], "metrics").as<Dict>();
  EXPECT_TRUE(metrics.find("train/losses/recon"));
  EXPECT_TRUE(metrics.find("eval2/losses/recon"));
  EXPECT_TRUE(metrics.find("eval3/losses/recon"));
}

// They wait for a file that never comes.
TEST_F(LaunchTrain, ATrainingThatFailedEndsItsEvaluators) {
  const Outcome run = here({"launch", "--cfg=mnist_standalone_eval", "--cfg.train_ds.num_workers=0",
                            "--cfg.train_losses.recon.preds=preds.nothing"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.out, AllOf(HasSubstr("1/1/train failed: exit code 1"),
                             HasSubstr("| kd: error: cfg.train_losses.recon")));
  const Value unit = list_at(json({"status", "1"}), "units")[0];
  EXPECT_EQ(at(unit, "state"), Value("failed"));
  Words states;
  for (const Value& job : list_at(unit, "jobs")) {
    states.push_back(at(job, "state").as<std::string>());
  }
  EXPECT_THAT(states, ElementsAre("failed", "skipped", "skipped"));
}

TEST_F(LaunchTrain, ArgumentsOfTheConfigAreSwept) {
  const Outcome run =
      here({"launch", "--cfg=configargs_demo", "--xp.sweep", "--cfg.__args__.num_train_steps=1",
            "--cfg.train_ds.batch_size=16", "--cfg.train_ds.num_workers=0",
            "--cfg.evals.eval_first.num_batches=1", "--cfg.evals.eval_second.num_batches=1"});
  ASSERT_EQ(run.code, kFine) << run.err << run.out;
  const Words dirs = folders(1);
  ASSERT_EQ(dirs.size(), 4u);
  std::vector<std::pair<Value, Value>> sizes;  // of the code, and how often the first part comes
  for (auto& dir : dirs) {
    EXPECT_TRUE(fs::exists(dir + "/train_complete.txt"));
    EXPECT_EQ(config_at(dir, "num_train_steps"), Value(1));
    sizes.emplace_back(config_at(dir, "model.encoder.features"),
                       config_at(dir, "train_ds.weights").as<List>()[0]);
  }
  using Pair = std::pair<Value, Value>;
  EXPECT_THAT(sizes, ElementsAre(Pair(32, 0.5), Pair(32, 0.9), Pair(128, 0.5), Pair(128, 0.9)));
}

TEST_F(LaunchTrain, ARunByItsNumberIsEvaluated) {
  const Outcome trained = two_seeds();
  ASSERT_EQ(trained.code, kFine) << trained.err << trained.out;
  const Words dirs = folders(1);
  const Words eval_only = {"--cfg=mnist_eval_only", "--cfg.evals.eval_train.num_batches=1",
                           "--cfg.evals.eval_test.num_batches=1"};
  auto with = [&](const Words& more) {
    Words out = eval_only;
    out.insert(out.end(), more.begin(), more.end());
    return out;
  };
  auto run_flag = [](const std::string& dir) { return "--cfg.aux.xid=" + dir; };
  // Jobs get the folder: the launcher's numbers are not theirs.
  auto jobs = planned(with({"--cfg.aux.wid=1", "--cfg.aux.xid=1"}));
  ASSERT_EQ(jobs.size(), 2u);
  for (auto& [name, argv] : jobs) {
    EXPECT_THAT(argv, Contains(run_flag(dirs[0])));
    EXPECT_THAT(argv, Not(Contains("--cfg.aux.xid=1")));
  }
  EXPECT_THAT(planned(with({"--cfg.aux.xid=xid:1/2"}))["1/eval_test"], Contains(run_flag(dirs[1])));
  jobs = planned(with({"--cfg.aux.xid=1", "--sweep.aux.wid=[2,1]"}));
  EXPECT_THAT(jobs["1/eval_test"], Contains(run_flag(dirs[1])));
  EXPECT_THAT(jobs["2/eval_test"], Contains(run_flag(dirs[0])));
  jobs = planned(with({"--sweep.__args__.run=[\"1/1\",\"1/2\"]"}));
  EXPECT_THAT(jobs["1/eval_test"], Contains(run_flag(dirs[0])));
  EXPECT_THAT(jobs["2/eval_test"], Contains(run_flag(dirs[1])));
  // A folder stays what it is.
  EXPECT_THAT(planned(with({"--cfg.aux.xid=runs/1/1-seed=11"}))["1/eval_test"],
              Contains("--cfg.aux.xid=runs/1/1-seed=11"));

  Words unclear = with({"--cfg.aux.xid=1"});
  unclear.insert(unclear.begin(), "launch");
  Outcome run = here(unclear);
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.first_error_line(),
              HasSubstr("unit 1: cfg.aux.xid: experiment 1 has 2 units: name one of them"));
  Words nowhere = with({"--cfg.aux.xid=runs/nope"});
  nowhere.insert(nowhere.begin(), "launch");
  EXPECT_THAT(here(nowhere).first_error_line(),
              HasSubstr("unit 1: cfg.aux.xid: there is no folder 'runs/nope'; name a run by"));
  Words launched = with({"--cfg.aux.wid=1", "--cfg.aux.xid=1"});
  launched.insert(launched.begin(), "launch");
  run = here(launched);
  ASSERT_EQ(run.code, kFine) << run.err << run.out;
  const Dict row = json({"results", "2"}).as<List>()[0].as<Dict>();
  EXPECT_EQ(row.at("state"), Value("finished"));
  EXPECT_TRUE(row.at("metrics").as<Dict>().find("eval_train/metrics/ssim"));
  EXPECT_TRUE(row.at("metrics").as<Dict>().find("eval_test/losses/recon"));

  Words alone = with({"--cfg.aux.xid=1/1", "--cfg.workdir=alone"});
  alone.insert(alone.begin(), "eval");
  run = here(alone);
  ASSERT_EQ(run.code, kFine) << run.err;
  // The same parameters on the same images.
  auto loss_in = [](const std::string& dir) {
    const Value line = konfig::parse_json(read_text(dir + "/eval_test/metrics.jsonl"));
    return dict_at(line, "scalars").at("losses/recon");
  };
  EXPECT_EQ(loss_in(folder_ / "alone"), row.at("metrics").as<Dict>().at("eval_test/losses/recon"));

  launched[launched.size() - 1] = "--cfg.aux.xid=7";
  run = here(launched);
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.first_error_line(),
              HasSubstr("unit 1: cfg.aux.xid: there is no experiment 7: the nearest are 1"));
  EXPECT_EQ(json({"status"}).as<List>().size(), 2u);
}

// While the first unit waits, what it was launched from is overwritten. The program of the jobs
// says that one has begun, then waits: both through named pipes.
class EditedLater : public LaunchTrain {
 protected:
  void launch_and_edit(const std::string& config, const Words& files, const Words& more = {}) {
    write_text(folder_ / "gate.sh",
               "#!/bin/sh\necho job > began; read word < go\n"
               "KD_CXX=/no/compiler exec " KD_BINARY_DIR "/kd train \"$@\"\n");
    fs::permissions(folder_ / "gate.sh", fs::perms::owner_all);
    Words args = small_run(
        "launch", {"--cfg.num_train_steps=0", "--xp.target=./gate.sh", "--sweep.seed=[11,12]"});
    args[1] = "--cfg=" + config;
    args.insert(args.end(), more.begin(), more.end());
    std::string edit;
    for (auto& file : files) edit += "echo 'this is edited' > " + file + "\n";
    // The pipes are open for both directions, so that nothing waits for the other end; a launch
    // that ends too early says so in the place of a job.
    const std::string script = "export KD_STATE='" + state_folder_ + "' XDG_CACHE_HOME='" + kCache +
                               "' KD_PY_TIMEOUT=600\nmkfifo began go\nexec 3<>began 4<>go\n(" +
                               line_of(args) +
                               "; code=$?; echo ended > began; exit $code) & job=$!\n"
                               "for unit in 1 2; do\n  read what <&3\n"
                               "  [ $what = job ] || break\n" +
                               edit + "  echo on >&4\ndone\nwait $job\n";
    const Outcome run = shell(script, folder_.path());
    ASSERT_EQ(run.code, kFine) << run.err << run.out;
    EXPECT_THAT(run.out, HasSubstr("2 finished"));
    const Words dirs = folders(1);
    for (int i : {0, 1}) {
      EXPECT_TRUE(fs::exists(dirs.at(i) + "/train_complete.txt"));
      EXPECT_EQ(config_at(dirs[i], "seed"), Value(11 + i));
      EXPECT_EQ(config_at(dirs[i], "model.encoder.features"), Value(24));
    }
    for (auto& file : files) EXPECT_EQ(read_text(folder_ / file), "this is edited\n");
  }
  // An example with a code of 24 numbers.
  static std::string small_example(const std::string& name) {
    std::string text = read_text(KD_SOURCE_DIR "/examples/" + name);
    const auto at = text.find("128");
    EXPECT_NE(at, text.npos);
    return text.replace(at, 3, "24");
  }
};

TEST_F(EditedLater, AConfigInPythonAndItsNeighbour) {
  write_text(folder_ / "base_config.py", small_example("mnist_autoencoder.py"));
  write_text(folder_ / "config.py",
             "import base_config\n\n\ndef get_config():\n  return base_config.get_config()\n");
  launch_and_edit(
      "./config.py", {"config.py", "base_config.py"},
      {"--cfg.train_ds.substitute=fashion_mnist", "--cfg.evals.eval.ds.substitute=fashion_mnist"});
}

// Its jobs have no compiler, neither those of a program of one's own nor those of the kept kd.
TEST_F(EditedLater, AConfigInCpp) {
  const std::string text = small_example("mnist_autoencoder.cc");
  write_text(folder_ / "mine.cc", text);
  launch_and_edit("./mine.cc", {"mine.cc"});

  write_text(folder_ / "mine.cc", text);
  Words args = small_run(
      "launch", {"--cfg.num_train_steps=0", "--xp.env_vars={\"KD_CXX\": \"/no/compiler\"}"});
  args[1] = "--cfg=./mine.cc";
  const Outcome run = cli::kd(
      args,
      {.env = {{"KD_STATE", state_folder_}, {"XDG_CACHE_HOME", kCache}}, .folder = folder_.path()});
  ASSERT_EQ(run.code, kFine) << run.err << run.out;
  EXPECT_EQ(config_at(folders(2).at(0), "model.encoder.features"), Value(24));
}

// The cells of the example, one after the other in one process, as a notebook runs them.
TEST_F(LaunchTrain, TheNotebook) {
  const std::string script =
      "import json, os\n"
      "book = json.load(open('" KD_SOURCE_DIR
      "/examples/launch/sweep.ipynb'))\n"
      "names = {}\n"
      "for cell in book['cells']:\n"
      "  if cell['cell_type'] == 'code': exec(''.join(cell['source']), names)\n"
      "print(len({json.dumps(row['metrics']) for row in names['rows']}), 'different')\n"
      "print([(row['wid'], row['state'], row['args']) for row in names['rows']])\n";
  const Outcome run = spawn("/usr/bin/env", {"python3", "-c", script},
                            {.env = {{"KD", KD_BINARY_DIR "/kd"}, {"KD_STATE", state_folder_}},
                             .folder = folder_.path()});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("2 {'optimizer.learning_rate': 0.01}\n"),
                             HasSubstr("['finished', 'finished']\n"), HasSubstr("2 different\n"),
                             EndsWith("[(1, 'finished', {'optimizer.learning_rate': 0.001}), "
                                      "(2, 'finished', {'optimizer.learning_rate': 0.01})]\n")));
  EXPECT_THAT(read_text(folder_ / "sweep.png").substr(1, 3), "PNG");
}

}  // namespace
}  // namespace cli
