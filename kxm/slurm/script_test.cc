#include "kxm/slurm/script_impl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "base/file.h"
#include "base/temp_folder.h"
#include "konfig/error.h"
#include "kxm/slurm/commands_impl.h"

namespace kxm::slurm {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Attempt attempt(int wid, std::vector<std::string> argv) {
  Attempt out;
  out.xid = 17;
  out.wid = wid;
  out.job = "train";
  out.token = "token-" + std::to_string(wid);
  out.what = {.name = "train", .argv = std::move(argv)};
  out.unit_dir = "/runs/17/" + std::to_string(wid);
  out.folder = "/runs/17/.kxm/jobs/" + std::to_string(wid) + "/train/1";
  out.cwd = "/work";
  return out;
}

TEST(SlurmScript, ResourcesBecomeOptions) {
  EXPECT_THAT(resource_options({}, {}), ElementsAre("--ntasks=1", "--signal=B:USR1@120"));
  EXPECT_THAT(
      resource_options({}, {.cpus = 2.5, .memory = (3 << 20) + 1, .gpus = 2, .seconds = 3601}),
      ElementsAre("--ntasks=1", "--cpus-per-task=3", "--mem=4M", "--gres=gpu:2", "--time=61",
                  "--signal=B:USR1@120"));
  // Of several tasks each has so much, wherever it is.
  EXPECT_THAT(resource_options({}, {.cpus = 4, .memory = 8 << 20, .gpus = 1, .replicas = 3}),
              ElementsAre("--ntasks=3", "--cpus-per-task=4", "--mem-per-cpu=2M",
                          "--gpus-per-task=1", "--signal=B:USR1@120"));
  // Half of a short limit is left to work.
  EXPECT_THAT(resource_options({}, {.seconds = 60}), Contains("--signal=B:USR1@15"));
}

TEST(SlurmScript, GpusAreCalledAsTheClusterCallsThem) {
  const Resources one = {.gpus = 1, .gpu_type = "a100"};
  EXPECT_THAT(resource_options({}, one), Contains("--gres=gpu:a100:1"));
  const Slurm slurm = {.gpu_types = {{"a100", "a100_80gb"}, {"t4", ""}}};
  EXPECT_THAT(resource_options(slurm, one), Contains("--gres=gpu:a100_80gb:1"));
  EXPECT_THAT(resource_options(slurm, {.gpus = 2, .gpu_type = "t4"}), Contains("--gres=gpu:2"));
  EXPECT_THAT(resource_options(slurm, {.gpus = 2, .gpu_type = "a100", .replicas = 2}),
              Contains("--gpus-per-task=a100_80gb:2"));
}

TEST(SlurmScript, AJobRunsInThePlaceItNames) {
  const Slurm slurm = {.partition = "usual",
                       .setup = {"a"},
                       .places = {{"big", {.partition = "gpu-long", .setup = {"b"}}}}};
  EXPECT_EQ(place_of(slurm, {}).partition, "usual");
  EXPECT_EQ(place_of(slurm, {.place = "big"}).partition, "gpu-long");
  EXPECT_THAT(place_of(slurm, {.place = "big"}).setup, ElementsAre("b"));
  try {
    place_of(slurm, {.place = "bug"});
    FAIL();
  } catch (const konfig::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no place 'bug' in launch.yaml"));
    EXPECT_THAT(error.what(), HasSubstr("there is big"));
  }
}

TEST(SlurmScript, TheCommandLine) {
  Batch batch = {.folder = "/runs/17/.kxm/slurm",
                 .token = "ab",
                 .attempts = {"x", "y", "z"},
                 .lane = {.width = 2, .after = 41}};
  Attempt first = attempt(1, {"kd"});
  first.job = "eval on test";
  const Slurm slurm = {
      .partition = "gpu", .account = "vision", .qos = "long", .options = {"--nice=5"}};
  EXPECT_THAT(
      sbatch_command(slurm, batch, first),
      ElementsAre("sbatch", "--parsable", "--job-name=kxm-17-eval_on_test", "--comment=kxm:ab",
                  "--array=0-2%2", "--output=/runs/17/.kxm/slurm/ab.out", "--open-mode=append",
                  "--chdir=/", "--export=ALL", "--requeue", "--ntasks=1", "--signal=B:USR1@120",
                  "--partition=gpu", "--account=vision", "--qos=long", "--dependency=afterany:41",
                  "--nice=5"));
  batch.lane = {};
  EXPECT_THAT(sbatch_command({}, batch, first),
              AllOf(Contains("--array=0-2"), Not(Contains(StartsWith("--partition"))),
                    Not(Contains(StartsWith("--dependency")))));
}

TEST(SlurmScript, TheScriptKeepsAnyName) {
  EXPECT_THAT(
      batch_script({"/a b/it's", "__job"}, "/x y/$z.tasks"),
      HasSubstr("\nexec '/a b/it'\"'\"'s' __job '/x y/$z.tasks' \"$SLURM_ARRAY_TASK_ID\"\n"));
}

TEST(SlurmScript, SetUpAndTasks) {
  PlannedJob job = {.name = "train", .argv = {"kd", "train"}};
  EXPECT_THAT(job_command(job, {}, ""), ElementsAre("kd", "train"));
  job.resources.replicas = 2;
  EXPECT_THAT(
      job_command(job, {"module load cuda"}, "/run/failed"),
      ElementsAre("/bin/bash", "-c",
                  EndsWith("\nset -e\nmodule load cuda\nset +e\ntrap - EXIT\nexec \"$@\""), "setup",
                  "srun", "--label", "--kill-on-bad-exit=1", "--ntasks=2", "/bin/bash", "-c",
                  HasSubstr("kill -TERM"), "/run/failed", "kd", "train"));
}

TEST(SlurmScript, Ranges) {
  EXPECT_EQ(ranges({3, 4, 5, 9}), "3-5,9");
  EXPECT_EQ(ranges({0}), "0");
  EXPECT_EQ(ranges({}), "");
}

Batch written(const std::filesystem::path& folder, const std::vector<Attempt>& attempts,
              const TaskExtras& extras = {}, const Lane& lane = {}) {
  Batch out = begin_batch(folder, attempts, lane);
  write_batch(out, attempts, extras);
  return out;
}

TEST(SlurmBatch, TasksAreReadBackAsTheyWere) {
  const base::TempFolder folder;
  const std::vector<std::string> odd = {"",          " ", "a b",      "'", "\"\\",
                                        "new\nline", "🍲", "\xff\xfe", "%"};
  Attempt first = attempt(1, odd), second = attempt(2, {"kd"});
  first.what.env = {{"A", "x=y\n"}, {"B", "\xff"}};
  second.cwd = "/elsewhere";
  second.what.role = Role::train;
  second.what.resources.replicas = 4;
  second.what.resources.container = "image:1 🍲";
  const std::vector<Attempt> both = {first, second};
  const Batch batch =
      written(folder / "slurm", both, {.setup = {"module load 'a b'"}, .requeues = 2},
              {.width = 3, .after = 41});
  const TaskToRun one = read_task(batch.tasks(), 0), two = read_task(batch.tasks(), 1);
  EXPECT_EQ(one.attempt.what, first.what);
  EXPECT_EQ(one.attempt.folder, folder / "jobs/1/train/1");
  EXPECT_EQ(one.attempt.token, "token-1");
  EXPECT_EQ(one.attempt.xid, 17);
  EXPECT_EQ(two.attempt.what, second.what);
  EXPECT_EQ(two.attempt.wid, 2);
  EXPECT_EQ(one.attempt.cwd, "/work");
  EXPECT_EQ(two.attempt.cwd, "/elsewhere");
  EXPECT_EQ(two.extras.requeues, 2);
  EXPECT_THAT(two.extras.setup, ElementsAre("module load 'a b'"));
  EXPECT_THROW(read_task(batch.tasks(), 2), konfig::Error);

  const auto found = read_batches(folder / "slurm", {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].token, batch.token);
  EXPECT_THAT(found[0].attempts, ElementsAre("token-1", "token-2"));
  EXPECT_EQ(found[0].job, "train");
  EXPECT_EQ(found[0].lane.width, 3);
  EXPECT_EQ(found[0].lane.after, 41);
  EXPECT_TRUE(read_batches(folder / "slurm", {batch.token}).empty());
  EXPECT_TRUE(read_batches(folder / "none", {}).empty());
  begin_batch(folder / "slurm", both);  // and nothing more: it was never submitted
  EXPECT_EQ(read_batches(folder / "slurm", {}).size(), 1u);
}

TEST(SlurmBatch, AnswersArePartOfIt) {
  const base::TempFolder folder;
  const std::vector<Attempt> one = {attempt(1, {"kd"})};
  Batch batch = written(folder / "slurm", one);
  batch.read_answer();
  EXPECT_FALSE(batch.id);
  put(batch.file(".answer"), "12");  // sbatch was killed while it wrote 123
  batch.read_answer();
  EXPECT_FALSE(batch.id);
  put(batch.file(".answer"), "123\n");
  batch.read_answer();
  EXPECT_EQ(batch.id, 123);
  Batch other = written(folder / "slurm", one);
  other.refuse("sbatch: warning: x\nsbatch: error: Invalid qos\n");
  EXPECT_EQ(other.refused, "sbatch: error: Invalid qos");
  other.remove();
  EXPECT_EQ(read_batches(folder / "slurm", {}).size(), 1u);
}

TEST(SlurmCommands, ProblemsAreToldApart) {
  const std::string failed = "sbatch: error: Batch job submission failed: ";
  EXPECT_EQ(problem_of(failed + "Unable to contact slurm controller (connect failure)\n"),
            Problem::away);
  EXPECT_EQ(problem_of(failed + "Unable to contact slurm controller (receive failure)\n"),
            Problem::unclear);
  EXPECT_EQ(problem_of(failed + "Socket timed out on send/recv operation\n"), Problem::unclear);
  EXPECT_EQ(problem_of(failed + "Unexpected missing socket error\n"), Problem::unclear);
  EXPECT_EQ(problem_of(failed +
                       "Job violates accounting/QOS policy (job submit limit, user's size and/or "
                       "time limits)\n"),
            Problem::limit);
  // Slurm has one sentence for all limits, and says before which it is: others are for good.
  const std::string policy =
      failed +
      "Job violates accounting/QOS policy (job submit limit, user's size and/or time "
      "limits)\n";
  for (const char* limit : {"AssocMaxSubmitJobLimit", "AssocGrpSubmitJobsLimit",
                            "QOSMaxSubmitJobPerUserLimit", "QOSGrpSubmitJobsLimit"}) {
    const std::string err = std::string("sbatch: error: ") + limit + "\n" + policy;
    EXPECT_EQ(problem_of(err), Problem::limit);
    EXPECT_EQ(limit_in(err), limit);
  }
  EXPECT_EQ(problem_of("sbatch: error: QOSMaxWallDurationPerJobLimit\n" + policy),
            Problem::refused);
  EXPECT_EQ(
      limit_in("sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying\n" +
               failed + "Resource temporarily unavailable\n"),
      "MaxJobCount");
  EXPECT_EQ(
      reason_in("slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n"),
      "Unable to contact slurm controller (connect failure)");
  EXPECT_EQ(reason_in(""), "no answer in time");
  EXPECT_EQ(problem_of(Outcome()), Problem::unclear);
  EXPECT_EQ(problem_of(failed + "Invalid partition name specified\n"), Problem::refused);
}

// What sbatch would wait for by itself is an answer, which is told apart from one that was lost.
TEST(SlurmCommands, SbatchDoesNotSleep) {
  const base::TempFolder folder;
  const base::File kept(folder / "kept", O_RDWR | O_CREAT);
  const auto run = [&](const std::string& script) {
    return run_to_file(
        {"/bin/sh"}, [&] { return script; }, folder / "answer", kept.descriptor());
  };
  EXPECT_EQ(run("echo 123; echo warning >&2; exit 3"), 3);
  EXPECT_EQ(base::read_file(folder / "answer"), "123\nwarning\n");
  EXPECT_EQ(run("echo Slurm temporarily unable to accept job, sleeping and retrying >&2; sleep 90"),
            -1);
  EXPECT_EQ(problem_of(base::read_file(folder / "answer")), Problem::limit);
  // A disk that is full, and a program that ends before it reads.
  const auto fails = []() -> std::string { throw konfig::Error(konfig::ErrorKind::value, "full"); };
  EXPECT_THROW(run_to_file({"/bin/cat"}, fails, folder / "answer", kept.descriptor()),
               konfig::Error);
  EXPECT_EQ(run_to_file(
                {"/bin/true"},
                [] {
                  ::usleep(100'000);
                  return std::string("x");
                },
                folder / "answer", kept.descriptor()),
            0);
}

TEST(SlurmCommands, AskCollectsWhatAProgramPrints) {
  const Outcome outcome = ask({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "out\n");
  EXPECT_EQ(outcome.err, "err\n");
  EXPECT_EQ(ask({"/bin/sh", "-c", "sleep 100"}, std::chrono::milliseconds(50)).code, -1);
  EXPECT_THROW(ask({"no-such-program"}), konfig::Error);
  // Somebody presses Ctrl-C.
  std::array<int, 2> pipe = {};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  ASSERT_EQ(::write(pipe[1], "x", 1), 1);
  interrupt_by(pipe[0]);
  const Outcome interrupted = ask({"/bin/sh", "-c", "sleep 100"});
  EXPECT_TRUE(interrupted.interrupted);
  EXPECT_FALSE(interrupted.ok());
  interrupt_by(-1);
  for (const int end : pipe) ::close(end);
  // A launcher inside of a job must not submit with that job's settings.
  ::setenv("SLURM_JOB_ID", "5", 1);
  ::setenv("SBATCH_TIMELIMIT", "5", 1);
  ::setenv("SBATCH_ACCOUNT", "mine", 1);
  EXPECT_EQ(ask({"/bin/sh", "-c", "echo $SLURM_JOB_ID-$SBATCH_TIMELIMIT-$SBATCH_ACCOUNT"}).out,
            "--mine\n");
  for (const char* name : {"SLURM_JOB_ID", "SBATCH_TIMELIMIT", "SBATCH_ACCOUNT"}) ::unsetenv(name);
}

}  // namespace
}  // namespace kxm::slurm
