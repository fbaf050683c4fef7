// The program kd on a real Slurm: trainings, resuming, status and logs.
#include "cli/small_run_test.h"
#include "tests/slurm/on_slurm_test.h"

namespace kxm {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

PlannedJob training(const std::string& unit_dir, int steps) {
  const std::string number = std::to_string(steps);
  const auto args =
      cli::small_run("train", {"--cfg.workdir=" + unit_dir, "--cfg.num_train_steps=" + number,
                               "--cfg.checkpointer.save_interval_steps=" + number,
                               "--cfg.log_metrics_every=" + number});
  PlannedJob job = {.name = "train", .argv = {std::string(KD_BINARY_DIR) + "/kd"}};
  job.argv.insert(job.argv.end(), args.begin(), args.end());
  job.role = Role::train;
  return job;
}

// How many steps take at least so long on this machine.
int steps_that_take(seconds time, const fs::path& scratch) {
  constexpr int kSome = 1000;
  std::string command;
  for (const std::string& arg : training(scratch.string(), kSome).argv) command += "'" + arg + "' ";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(sh(command + "2>&1").first, 0);
  const auto some = std::chrono::steady_clock::now() - start;
  return static_cast<int>(kSome * (time / some + 1));
}

// What Slurm sends before a time limit, sent when steps are made: the training saves, queues up
// again, and ends bitwise as one that was left alone. The long version has a time limit that is
// over several times.
TEST_F(OnSlurm, ATrainingThatRunsOutOfTimeEndsAsIfItHadNot) {
  const int steps = full() ? steps_that_take(seconds(120), folder / "some") : 2000;
  std::vector<std::vector<PlannedJob>> units;
  for (const char* unit : {"1", "2"}) {
    units.push_back({training((folder / "runs/1" / unit).string(), steps)});
  }
  if (full()) units.front().front().resources.seconds = 60;
  const int xid = record(units);
  if (full()) {
    slurm.requeues = 100;
    run(xid);
  } else {
    const pid_t launcher = launch(xid);
    until([&] { return fs::exists(folder / "runs/1/1/checkpoints/ckpt_0"); });
    EXPECT_EQ(sh("scancel --batch --signal=USR1 $(squeue -h -r -o %F | head -1)_0").first, 0);
    EXPECT_EQ(wait(launcher), 0);
  }
  EXPECT_EQ(state.count_units(xid), counts(2)) << log(xid, 1);
  EXPECT_THAT(log(xid, 1), AllOf(HasSubstr("stopping after this step"),
                                 HasSubstr("all is saved. At a time limit or when it is preempted, "
                                           "Slurm starts it again"),
                                 Not(HasSubstr("To go on"))));
  const UnitRow unit = state.unit(xid, 1);
  ASSERT_EQ(unit.jobs.front().attempts.size(), 1u);
  EXPECT_GE(unit.jobs.front().attempts.front().requeues, 1);
  for (const char* file : {"state.safetensors", "ds_iter.json"}) {
    const fs::path end = fs::path("checkpoints/ckpt_" + std::to_string(steps)) / file;
    EXPECT_THAT(text("runs/1/2" / end), Not(IsEmpty()));
    EXPECT_TRUE(text("runs/1/1" / end) == text("runs/1/2" / end)) << file;
  }
}

// The whole program: a sweep of a script, and one of a training with what it kept.
TEST_F(OnSlurm, KdLaunchesAndResumes) {
  const std::string here = "cd " + folder.path().string() +
                           " && export KD_STATE=" + (folder / "of_kd").string() + " && " +
                           KD_BINARY_DIR + "/kd ";
  base::File(folder / "job.sh", O_WRONLY | O_CREAT, 0755)
      .write("#!/bin/sh\necho $* $SLURM_JOB_ID >> ran\n[ $1 != --x=2 ] || [ -e fixed ]\n");
  auto [code, out] =
      sh(here + "launch --xp=single --xp.target=./job.sh --sweep.x=[1,2,3] --quiet 2>&1");
  EXPECT_EQ(code, 1) << out;
  EXPECT_THAT(out, AllOf(HasSubstr("experiment 1 on Slurm"), HasSubstr("2 finished, 1 failed")));
  EXPECT_EQ(lines("ran"), 3);
  EXPECT_THAT(text("ran"), ContainsRegex("--x=3 [0-9]+\n"));  // on a node, not here
  sh("touch " + (folder / "fixed").string());
  std::tie(code, out) = sh(here + "resume 1 --quiet 2>&1");
  EXPECT_EQ(code, 0) << out;
  EXPECT_EQ(lines("ran"), 4);
  std::tie(code, out) =
      sh(here +
         "launch --cfg=mnist_autoencoder --cfg.num_train_steps=2 --sweep.seed=[1,2] "
         "--cfg.train_ds.num_workers=0 --cfg.evals.eval.num_batches=1 --quiet 2>&1");
  EXPECT_EQ(code, 0) << out;
  EXPECT_TRUE(fs::exists(folder / "runs/2/2-seed=2/train_complete.txt"));
}

TEST_F(OnSlurm, KdEndsWithOneIfAUnitWasCancelled) {
  base::File(folder / "job.sh", O_WRONLY | O_CREAT, 0755)
      .write("#!/bin/sh\necho x >>began\n[ $1 = --x=2 ] || sleep 1000\n");
  const auto [code, out] =
      sh("cd " + folder.path().string() + " && export KD_STATE=" + (folder / "of_kd").string() +
         " && { " + KD_BINARY_DIR +
         "/kd launch --xp=single --xp.target=./job.sh --sweep.x=[1,2] --quiet 2>&1 & } && "
         "until [ \"$(wc -l <began)\" = 2 ]; do sleep 0.1; done 2>/dev/null; "
         "scancel $(squeue -h -r -o %F | head -1)_0; wait $!");
  EXPECT_EQ(code, 1) << out;
  EXPECT_THAT(out, HasSubstr("1 finished, 1 stopped"));
}

// What trains on one machine trains on a cluster: evaluators in separate jobs, swept arguments of a
// config, and the evaluation of a run by its number.
TEST_F(OnSlurm, KdTrainsWhatItTrainsHere) {
  const std::string launch = "cd " + folder.path().string() +
                             " && export KD_STATE=" + (folder / "of_kd").string() + " && " +
                             KD_BINARY_DIR + "/kd launch --on=slurm --quiet ";
  const std::string small = " --cfg.train_ds.batch_size=16 --cfg.train_ds.num_workers=0";
  auto [code, out] = sh(launch + "--cfg=mnist_standalone_eval --cfg.num_train_steps=1" + small +
                        " --cfg.checkpointer.save_interval_steps=1 --cfg.evals.eval1.num_batches=1 "
                        "--cfg.evals.eval2.num_batches=1 --cfg.evals.eval3.num_batches=1 2>&1");
  EXPECT_EQ(code, 0) << out;
  for (const char* eval : {"eval1", "eval2", "eval3"}) {
    EXPECT_THAT(text(fs::path("runs/1/1") / eval / "metrics.jsonl"), HasSubstr("losses/recon"));
  }
  std::tie(code, out) = sh(launch +
                           "--cfg=configargs_demo --xp.sweep --cfg.__args__.num_train_steps=1 "
                           "--cfg.evals.eval_first.num_batches=1 "
                           "--cfg.evals.eval_second.num_batches=1" +
                           small + " 2>&1");
  EXPECT_EQ(code, 0) << out;
  EXPECT_THAT(out, HasSubstr("4 finished"));
  std::tie(code, out) = sh(launch +
                           "--cfg=mnist_eval_only --cfg.aux.xid=1 "
                           "--cfg.evals.eval_train.num_batches=1 "
                           "--cfg.evals.eval_test.num_batches=1 2>&1");
  EXPECT_EQ(code, 0) << out;
  EXPECT_THAT(text("runs/3/1/eval_test/metrics.jsonl"), HasSubstr("losses/recon"));
}

// What a user sees of jobs that run and wait elsewhere.
TEST_F(OnSlurm, KdShowsWhereJobsRunAndWhyTheyWait) {
  const std::string kd = "cd " + folder.path().string() +
                         " && export KD_STATE=" + (folder / "of_kd").string() + " && " +
                         KD_BINARY_DIR + "/kd ";
  base::File(folder / "job.sh", O_WRONLY | O_CREAT, 0755)
      .write(
          "#!/bin/sh\necho first; echo x >>began; while ! test -e go; do sleep 0.1; done\n"
          "echo last\n");
  const auto launched = sh(kd +
                           "launch --xp=single --xp.target=./job.sh --sweep.x=[1,2,3,4,5] "
                           "--xp.requirements.cpu=4 --xp.requirements.time=2h --detach 2>&1");
  EXPECT_EQ(launched.first, 0) << launched.second;
  until([&] { return lines("began") == 3; });
  std::string out;
  until([&] {  // the reason comes a moment later
    out = sh(kd + "status 1 2>&1").second;
    return out.find("_4, waits: ") != std::string::npos;
  });
  EXPECT_THAT(out, AllOf(HasSubstr("3 running, 2 waiting"),
                         ContainsRegex("slurm [0-9]+_0 on n[123], (1:5[0-9]|2:00):[0-9]+ left"),
                         ContainsRegex("slurm [0-9]+_4, waits: [A-Z]")));
  EXPECT_THAT(sh(kd + "status 2>&1").second, HasSubstr("3 running, 2 waiting"));
  EXPECT_THAT(sh(kd + "results 1 2>&1").second,
              AllOf(ContainsRegex("1/1 +running"), ContainsRegex("1/5 +waiting")));
  out = sh(kd + "logs 1/5 2>&1").second;
  EXPECT_THAT(out, HasSubstr("no log yet: it was submitted and has not begun"));
  EXPECT_THAT(sh(kd + "status 1/5 --format=json 2>&1").second, HasSubstr("\"seconds\": 0.0,"));
  // Without an answer, too.
  cluster.restart("slurmctld");
  cluster.down("slurmctld");
  EXPECT_THAT(sh(kd + "status 1 2>&1").second,
              AllOf(HasSubstr("Slurm does not answer"), HasSubstr("3 running, 2 waiting")));
  cluster.up("slurmctld");
  until([] { return sh("squeue -h -r -t R 2>/dev/null | wc -l").second == "3\n"; });
  EXPECT_EQ(sh("scontrol requeue $(squeue -h -r -o %F | head -1)_0").first, 0);
  until([&] { return sh(kd + "status 1 2>&1").second.find("1 requeue") != std::string::npos; });
  // What is in the queue needs no launcher.
  EXPECT_EQ(sh("kill -9 $(" + kd +
               "status 1 --format=json | grep -o '\"pid\": [0-9]*' | grep -o '[0-9]*$')")
                .first,
            0);
  EXPECT_THAT(sh(kd + "status 1 2>&1").second,
              AllOf(HasSubstr(" waiting\n"), Not(HasSubstr("kd resume"))));
  // Follows what grows there, to its end, also of one that has not begun yet.
  std::thread nodes([&] {
    std::this_thread::sleep_for(seconds(1));
    touch("go");
  });
  EXPECT_THAT(sh(kd + "logs -f 1/1 2>&1").second, HasSubstr("first\nlast\n"));
  EXPECT_THAT(sh(kd + "logs -f 1/5 2>&1").second, HasSubstr("first\nlast\n"));
  nodes.join();
  EXPECT_THAT(sh(kd + "status 1 --watch 2>&1").second, HasSubstr("5 finished"));
  cluster.down("slurmctld");
  EXPECT_EQ(sh(kd + "status 1 2>&1").first, 0);
  cluster.up("slurmctld");
}

// Of a job that was cancelled while it waited nobody leaves a record if no launcher lives.
TEST_F(OnSlurm, KdFollowsAJobThatIsCancelledToItsEnd) {
  const std::string kd = "cd " + folder.path().string() +
                         " && export KD_STATE=" + (folder / "of_kd").string() + " && " +
                         KD_BINARY_DIR + "/kd ";
  base::File(folder / "job.sh", O_WRONLY | O_CREAT, 0755)
      .write("#!/bin/sh\necho x >>began; sleep 1000\n");
  const auto launched = sh(kd +
                           "launch --xp=single --xp.target=./job.sh --sweep.x=[1,2,3,4] "
                           "--xp.requirements.cpu=4 --detach 2>&1");
  EXPECT_EQ(launched.first, 0) << launched.second;
  until([&] { return lines("began") == 3; });
  EXPECT_EQ(sh("kill -9 $(" + kd +
               "status 1 --format=json | grep -o '\"pid\": [0-9]*' | grep -o '[0-9]*$')")
                .first,
            0);
  EXPECT_EQ(sh("scancel $(squeue -h -r -t PD -o %F)_3").first, 0);
  EXPECT_THAT(sh(kd + "logs -f 1/4 2>&1").second, HasSubstr("1/4/main: stopped"));
  EXPECT_THAT(sh(kd + "status 1 2>&1").second, HasSubstr("3 running, 1 stopped"));
  EXPECT_THAT(sh(kd + "stop 1 2>&1").second, HasSubstr("asked to save and stop: 1/1, 1/2, 1/3\n"));
  EXPECT_THAT(sh(kd + "status 1/4 2>&1").second, HasSubstr("cancelled in Slurm"));
}

}  // namespace
}  // namespace kxm
