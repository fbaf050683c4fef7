#include "kxm/local.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>
#include <set>

#include "kxm/fixture_test.h"
#include "kxm/lock_impl.h"
#include "kxm/machine_impl.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using konfig::Error;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

TEST(Locks, AreSeenWithoutTakingThem) {
  const base::TempFolder folder;
  const fs::path path = folder / "lock";
  EXPECT_FALSE(is_locked(path)) << "no such file";
  {
    const base::File file(path, O_RDWR | O_CREAT);
    EXPECT_FALSE(is_locked(path));
    EXPECT_TRUE(try_lock(file.descriptor(), path));
    EXPECT_TRUE(is_locked(path));
    const base::File other(path, O_RDWR);
    EXPECT_FALSE(try_lock(other.descriptor(), path));
    const base::File copy(::dup(file.descriptor()), path);
    unlock(copy.descriptor(), 0, 0);
    EXPECT_FALSE(is_locked(path));
    EXPECT_TRUE(try_lock(other.descriptor(), path));
  }
  EXPECT_FALSE(is_locked(path)) << "closed";
}

TEST(Slots, AreDisjointAndFreedWithTheirFile) {
  const base::TempFolder folder;
  const Machine machine = {
      .cpus = {0, 1, 2, 5}, .gpus = {"0", "3"}, .memory = std::int64_t{1} << 30};
  auto a = take_slots(folder.path(), machine, {.cpus = 1.5, .gpus = 1});
  ASSERT_TRUE(a);
  EXPECT_THAT(a->cpus, ElementsAre(0, 1));
  EXPECT_THAT(a->gpus, Optional(ElementsAre("0")));
  auto b = take_slots(folder.path(), machine, {.cpus = 2, .memory = 600 << 20, .gpus = 1});
  ASSERT_TRUE(b);
  EXPECT_THAT(b->cpus, ElementsAre(2, 5));
  EXPECT_THAT(b->gpus, Optional(ElementsAre("3")));
  EXPECT_FALSE(take_slots(folder.path(), machine, {.cpus = 1}));
  EXPECT_FALSE(take_slots(folder.path(), machine, {.gpus = 1}));
  EXPECT_FALSE(take_slots(folder.path(), machine, {.memory = 600 << 20}));
  EXPECT_TRUE(take_slots(folder.path(), machine, {.memory = 300 << 20}));
  EXPECT_TRUE(take_slots(folder.path(), machine, {})) << "nothing asked for";
  b.reset();
  EXPECT_THAT(take_slots(folder.path(), machine, {.cpus = 1, .gpus = 1})->gpus,
              Optional(ElementsAre("3")));
  // Without one of its own a job sees those that are left.
  EXPECT_THAT(take_slots(folder.path(), machine, {.cpus = 1})->gpus, Optional(ElementsAre("3")));
  a.reset();
  const auto held = take_slots(folder.path(), machine, {.cpus = 1});
  EXPECT_EQ(held->gpus, std::nullopt) << "as its launcher";
  EXPECT_TRUE(take_slots(folder.path(), machine, {.gpus = 2})) << "it holds none";
}

TEST(Slots, ThisMachine) {
  const Machine machine = this_machine();
  EXPECT_FALSE(machine.cpus.empty());
  EXPECT_GT(machine.memory, 1 << 20);
  ::setenv("KD_LOCAL_GPUS", "2", 1);
  EXPECT_THAT(this_machine().gpus, ElementsAre("0", "1"));
  ::unsetenv("KD_LOCAL_GPUS");
  ::setenv("CUDA_VISIBLE_DEVICES", "4,7", 1);
  EXPECT_THAT(this_machine().gpus, ElementsAre("4", "7"));
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}

using LocalJobs = RunTest;

TEST_F(LocalJobs, TooLargeForTheMachine) {
  const auto error = [&](const Resources& resources) -> std::string {
    PlannedJob job = shell("true");
    job.resources = resources;
    try {
      local.check(std::span(&job, 1));
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error({}), "");
  EXPECT_THAT(error({.cpus = 9999}),
              HasSubstr("job 'main': asks for 9999 CPUs, but this machine has"));
  EXPECT_THAT(error({.gpus = 99}), HasSubstr("asks for 99 GPUs"));
  EXPECT_THAT(error({.memory = std::int64_t{1} << 50}), HasSubstr("1048576.0 GiB of memory"));
  EXPECT_THAT(error({.replicas = 4}), HasSubstr("4 replicas"));
  PlannedJob large = shell("true");
  large.resources.gpus = 99;
  const int xid = record({{large}});
  EXPECT_THROW(run(xid), Error) << "it would wait for ever";
  EXPECT_EQ(state.unit(xid, 1).state, JobState::waiting);
}

TEST_F(LocalJobs, GpusAndCpusOfUnitsAtATimeAreDisjoint) {
  ::setenv("KD_LOCAL_GPUS", "3", 1);
  ASSERT_EQ(::mkfifo((folder / "go").c_str(), 0600), 0);
  PlannedJob job = shell("echo $CUDA_VISIBLE_DEVICES; echo >>started; read line <go");
  job.resources = {.gpus = 1};
  PlannedJob last = shell("taskset -cp $$ | sed 's/.*: //'");
  last.resources = {.cpus = 1};
  const int xid = record({{job}, {job}, {job}, {job}, {last}});
  int running = 0, most = 0;
  const auto result =
      run(xid, {.on_event = [&](const Event& event) {
            most = std::max(most, event.units[JobState::running]);
            if (event.kind != Event::Kind::started || ++running != 3) return;
            // All three have their GPU; then they are let go.
            while (base::try_read_file(folder / "started").value_or("") != "\n\n\n") {
            }
            const base::File go(folder / "go", O_RDWR);
            go.write("\n\n\n\n");
            // They read from this pipe: it has to stay until they did.
            static const base::File kept(::dup(go.descriptor()), folder / "go");
          }});
  ::unsetenv("KD_LOCAL_GPUS");
  EXPECT_EQ(result.units, counts(5));
  EXPECT_GE(most, 3);
  EXPECT_EQ((std::set{log(xid, 1), log(xid, 2), log(xid, 3)}),
            (std::set<std::string>{"0\n", "1\n", "2\n"}));
  EXPECT_THAT(log(xid, 5), testing::MatchesRegex("[0-9]+\n"));
}

TEST_F(LocalJobs, WithoutGpusOfItsOwnAJobKeepsOffThoseOfOthers) {
  ::setenv("KD_LOCAL_GPUS", "3", 1);
  PlannedJob job = shell("echo \"[${CUDA_VISIBLE_DEVICES-all}]\"");
  job.resources.cpus = 1;
  int xid = record({{job}});
  run(xid);
  EXPECT_EQ(log(xid, 1), "[all]\n");
  const auto held =
      take_slots(std::filesystem::path(local.machine) / "machines", this_machine(), {.gpus = 1});
  PlannedJob none = job;
  none.env["CUDA_VISIBLE_DEVICES"] = "";
  xid = record({{job}, {none}});
  run(xid);
  ::unsetenv("KD_LOCAL_GPUS");
  EXPECT_EQ(log(xid, 1), "[1,2]\n");
  EXPECT_EQ(log(xid, 2), "[]\n") << "it says so itself";
}

TEST_F(LocalJobs, WithoutRequirementsOneUnitAtATime) {
  const int xid = record({{shell("true")}, {shell("true")}, {shell("true")}});
  int most = 0;
  run(xid, {.on_event = [&](const Event& event) {
        most = std::max(most, event.units[JobState::running]);
      }});
  EXPECT_EQ(most, 1);
}

TEST_F(LocalJobs, TrainFirstWhenAUnitDoesNotFitAtOnce) {
  ::setenv("KD_LOCAL_GPUS", "1", 1);
  PlannedJob eval = shell("echo eval >>order", "eval");
  eval.role = Role::evaluate;
  eval.resources.gpus = 1;
  PlannedJob train = shell("echo train >>order; touch runs/1/1/train_complete.txt", "train");
  train.role = Role::train;
  train.resources.gpus = 1;
  const int xid = record({{eval, train}});
  EXPECT_EQ(run(xid).units, counts(1));
  ::unsetenv("KD_LOCAL_GPUS");
  EXPECT_EQ(base::read_file(folder / "order"), "train\neval\n");
}

TEST_F(LocalJobs, AProcessGroupOfItsOwn) {
  // What it leaves behind is ended with it, and standard input is empty.
  const int xid =
      record({{shell("tail -f /dev/null & echo $! >child; cat; "
                     "test $(ps -o pgid= -p $$) = $$")}});
  EXPECT_EQ(run(xid).units, counts(1));
  const int child = std::stoi(base::read_file(folder / "child"));
  // Killed, and gone once it was collected.
  const std::string status = "/proc/" + std::to_string(child) + "/stat";
  while (base::try_read_file(status)) local.poll({});
}

TEST_F(LocalJobs, OutOfMemory) {
  // A small memory group of its own: version 1 or 2, if we may.
  const fs::path v2 = "/sys/fs/cgroup/kxm_test", v1 = "/sys/fs/cgroup/memory/kxm_test";
  std::error_code error;
  const bool one = fs::exists("/sys/fs/cgroup/memory/tasks", error);
  const fs::path group = one ? v1 : v2;
  fs::create_directory(group, error);
  const auto write = [](const fs::path& file, const std::string& text) {
    return static_cast<bool>(std::ofstream(file) << text << std::flush);
  };
  if (error || !write(group / (one ? "memory.limit_in_bytes" : "memory.max"), "20000000")) {
    GTEST_SKIP() << "no right to make a control group";
  }
  if (!one) write(group / "memory.swap.max", "0");
  const int xid =
      record({{shell("echo $$ >" + (group / "cgroup.procs").string() + "; exec tail /dev/zero")}});
  EXPECT_EQ(run(xid).units, counts(0, 1));
  EXPECT_EQ(why(xid, 1), "out of memory: the system killed it");
  ::rmdir(group.c_str());
}

}  // namespace
}  // namespace kxm
