// kd launch and kd resume with --detach, where it does not go on.
#include "cli/background.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/launch_test.h"
#include "cli/program.h"

namespace cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(Launch, DetachedOnAFullDisk) {
  const std::string line = line_of({"resume", "1", "--detach"});
  const Outcome run = shell(
      "exec unshare -m sh -c 'mkdir disk; mount -t tmpfs -o size=1m none disk || exit 77\n" +
          line_of({"launch", "--xp=single", "--xp.target=/bin/false", "--xp.root_dir=disk"}) +
          "\ncat /dev/zero > disk/big 2>/dev/null\n" + line + "\necho code $?\nrm disk/big\n" +
          line + "\necho code $?\n" + line_of({"status", "1", "--watch"}) + " >/dev/null\nexit 0'",
      folder_.path());
  if (run.code == 77 || run.err.find("unshare failed") != run.err.npos) {
    GTEST_SKIP() << "no right to mount";
  }
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("kd: error: 1 does not go on in the background: "),
                             HasSubstr("No space left on device"),
                             HasSubstr("the experiment is recorded: kd resume 1")));
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("code 1\n1 goes on in the background"), HasSubstr("code 0")));
}

}  // namespace
}  // namespace cli
