// Trainings that no launcher started, in the folders of units.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "kxm/fixture_test.h"
#include "kxm/live_jobs.h"
#include "kxm/trainings_impl.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class TrainingsTest : public RunTest {
 protected:
  static PlannedJob train(const std::string& script) {
    PlannedJob out = shell(script, "train");
    out.role = Role::train;
    return out;
  }
  // As `kd train` and `kd resume FOLDER` hold the folder of their run.
  struct Held {
    explicit Held(const fs::path& dir)
        : file(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), dir) {
      EXPECT_EQ(::flock(file.descriptor(), LOCK_EX | LOCK_NB), 0);
    }
    base::File file;
  };
};

TEST_F(TrainingsTest, WhoHoldsAFolder) {
  EXPECT_EQ(Trainings().in(folder.path()), std::nullopt);
  const Held held(folder.path());
  EXPECT_EQ(Trainings().in(folder.path()), ::getpid());
  EXPECT_EQ(Trainings().in(folder.path().parent_path()), std::nullopt);
  EXPECT_EQ(Trainings().in(folder / "missing"), std::nullopt);
}

TEST_F(TrainingsTest, AUnitThatIsTrainedIsRunning) {
  const int xid = record({{train("exit 1")}, {train("exit 1")}, {shell("exit 1")}});
  EXPECT_EQ(run(xid).units, counts(0, 3));
  const Held held(state.unit(xid, 2).dir), other(state.unit(xid, 3).dir);
  Counts now = counts(0, 2);  // a job that does not train has nothing to do with it
  now[JobState::running] = 1;
  EXPECT_EQ(state.count_units(xid), now);
  const UnitRow unit = state.unit(xid, 2);
  EXPECT_EQ(unit.state, JobState::running);
  EXPECT_EQ(unit.jobs.front().trainer, ::getpid());
  EXPECT_EQ(unit.jobs.front().why(),
            "trained by process " + std::to_string(::getpid()) + ", without a launcher");
  EXPECT_EQ(state.units(xid, {.states = {JobState::running}}).size(), 1u);
  EXPECT_EQ(state.units(xid, {.states = {JobState::failed}}).size(), 2u);
  EXPECT_THAT(live_text(state, xid), HasSubstr("1/2/train: trained by process "));
  EXPECT_THROW(state.remove(xid), konfig::Error);
}

TEST_F(TrainingsTest, NoLauncherStartsASecondOne) {
  const int xid = record({{train("echo $KXM_WID >>ran; touch runs/1/$KXM_WID/train_complete.txt")},
                          {train("echo $KXM_WID >>ran; exit 1")}});
  fs::create_directories(folder / "runs/1/1");
  std::vector<std::string> notes;
  const RunOptions options{.again = true, .on_event = [&](const Event& event) {
                             if (event.kind == Event::Kind::note) notes.push_back(event.text);
                           }};
  {
    const Held held(folder / "runs/1/1");
    Counts left = counts(0, 1);
    left[JobState::stopped] = 1;
    EXPECT_EQ(run(xid, options).units, left);
    EXPECT_THAT(notes, ElementsAre("unit 1: left alone: a training that no launcher started runs "
                                   "in " +
                                   (folder / "runs/1/1").string()));
  }
  EXPECT_EQ(run(xid, options).units, counts(1, 1));
  EXPECT_EQ(base::read_file(folder / "ran"), "2\n1\n2\n");
}

// A state that is behind, such as one of a backup.
TEST_F(TrainingsTest, JobsThatTheStateDoesNotKnow) {
  const int xid = record({{shell("true")}});
  const fs::path attempt = fs::path(state.experiment(xid)->home) / "jobs/1/main/1";
  fs::create_directories(attempt);
  const base::File lock(attempt / "lock", O_RDWR | O_CREAT);
  EXPECT_EQ(live_text(state, xid), "");
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  ASSERT_EQ(::fcntl(lock.descriptor(), F_OFD_SETLK, &range), 0);
  EXPECT_THAT(live_text(state, xid), HasSubstr("1/1/main runs, which this state does not know"));
  EXPECT_THROW(state.remove(xid), konfig::Error);
}

// The records of an experiment are gone, its jobs are not.
TEST_F(TrainingsTest, JobsWithoutRecordsAreFoundByTheirTokens) {
  const int xid = record({{shell("echo $$ >pid; exec tail -f /dev/null")}});
  Stopper stopper;
  const RunOptions options{.on_tick =
                               [&] {
                                 if (base::try_read_file(folder / "pid").value_or("").size() > 1) {
                                   stopper.leave();
                                 }
                               },
                           .stopper = &stopper};
  EXPECT_TRUE(run(xid, options).left);
  const std::string home = state.experiment(xid)->home;
  fs::rename(home, home + ".away");
  const std::string pid = base::read_file(folder / "pid");
  EXPECT_EQ(live_text(state, xid),
            "its records are gone, but 1/1/main runs; end it first: "
            "`kill -- -" +
                pid.substr(0, pid.size() - 1) + "`");
  EXPECT_THROW(state.remove(xid), konfig::Error);
  fs::rename(home + ".away", home);
  stop(state, xid, local, Stop::now);
}

}  // namespace
}  // namespace kxm
