// Units in whose folder `kd train` or `kd resume FOLDER` trains, outside of the launcher.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/launched_test.h"
#include "cli/program.h"

namespace cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TrainedElsewhere : public Launched {
 protected:
  // Two units that have failed; in the folder of the second one this test trains.
  TrainedElsewhere() {
    kxm::PlannedJob train = job("train", "echo $KXM_WID >> ran; exit 1");
    train.role = kxm::Role::train;
    xid_ = launch("mine", {{{{"x", 1}}, {train}}, {{{"x", 2}}, {train}}});
    const std::string dir = folder_ / "mine_1/2";
    held_.emplace(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), dir);
    EXPECT_EQ(::flock(held_->descriptor(), LOCK_EX | LOCK_NB), 0);
  }

  int xid_ = 0;
  std::optional<base::File> held_;
  const std::string process_ = "process " + std::to_string(::getpid());
};

TEST_F(TrainedElsewhere, IsShownAsRunning) {
  EXPECT_THAT(kd({"status", "1"}).out,
              AllOf(HasSubstr("1 mine: 1 failed, 1 running"),
                    HasSubstr("trained by " + process_ + ", without a launcher")));
  EXPECT_THAT(kd({"status"}).out, HasSubstr("1 running"));
  const auto unit = json({"status", "1/2"}).as<konfig::Dict>();
  EXPECT_EQ(unit.at("state"), konfig::Value("running"));
  held_.reset();
  EXPECT_THAT(kd({"status", "1"}).out, HasSubstr("1 mine: 2 failed"));
}

TEST_F(TrainedElsewhere, IsNotStartedOnceMore) {
  Outcome run = kd({"resume", "1/2"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(), "kd: error: 1/2: trained by " + process_ +
                                        ", without a launcher; `kd resume 1/2` goes on once that "
                                        "has ended");
  run = kd({"resume", "1", "--quiet"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.err, HasSubstr("unit 2: left alone: a training that no launcher started runs"));
  EXPECT_EQ(read_text(folder_ / "ran"), "1\n2\n1\n");
  held_.reset();
  kd({"resume", "1/2", "--quiet"});
  EXPECT_EQ(read_text(folder_ / "ran"), "1\n2\n1\n2\n");
}

TEST_F(TrainedElsewhere, IsNeitherStoppedNorRemoved) {
  const Outcome stopped = kd({"stop", "1"});
  EXPECT_EQ(stopped.code, kFine);
  EXPECT_THAT(stopped.out, AllOf(HasSubstr("1/2 goes on: trained by " + process_),
                                 HasSubstr("`kill " + std::to_string(::getpid()) + "`"),
                                 Not(HasSubstr("asked to save"))));
  const Outcome removed = kd({"rm", "1"});
  EXPECT_EQ(removed.code, kFailure);
  EXPECT_THAT(removed.err, HasSubstr("experiment 1: 1/2/train: trained by " + process_));
}

}  // namespace
}  // namespace cli
