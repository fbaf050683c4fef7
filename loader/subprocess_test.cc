#include "loader/subprocess_impl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <system_error>

namespace loader {
namespace {

using std::chrono::milliseconds;

Outcome shell(const std::string& text, milliseconds timeout = milliseconds(0)) {
  return run({.argv = {"sh", "-c", text}, .environment = {"KD_X=1"}, .timeout = timeout});
}

TEST(Subprocess, OutputAndExitCode) {
  const auto out = shell("echo out $KD_X; echo err >&2; exit 3");
  EXPECT_EQ(out.exit_code, 3);
  EXPECT_EQ(out.out, "out 1\n");
  EXPECT_EQ(out.err, "err\n");
  EXPECT_FALSE(out.ok());
  EXPECT_TRUE(shell("read x; true").ok()) << "there is no input to wait for";
  EXPECT_EQ(shell("kill -TERM $$").signal, SIGTERM);
}

TEST(Subprocess, MuchOutput) {
  const auto out = shell("head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2");
  EXPECT_EQ(out.out.size(), 1000000u);
  EXPECT_EQ(out.err.size(), 1000000u);
}

// A child that lives on does not hold us up.
TEST(Subprocess, EndsWithTheProgram) {
  EXPECT_EQ(shell("(cat /dev/null; tail -f /dev/null) & echo x").out, "x\n");
}

TEST(Subprocess, TimeLimitEndsChildrenToo) {
  int fds[2];
  ASSERT_EQ(::pipe(fds), 0);
  const auto out =
      shell("echo begun; tail -f /dev/null & tail -f /dev/null >&" + std::to_string(fds[1]),
            milliseconds(200));
  EXPECT_TRUE(out.timed_out);
  EXPECT_EQ(out.out, "begun\n");
  ::close(fds[1]);
  char c;
  EXPECT_EQ(::read(fds[0], &c, 1), 0) << "nobody holds the other end";
  ::close(fds[0]);
}

TEST(Subprocess, MissingPrograms) {
  EXPECT_THROW(run({.argv = {"kauldron-no-such-program"}}), std::system_error);
  EXPECT_THROW(run({.argv = {"/etc"}}), std::system_error);
  EXPECT_EQ(find_program("kauldron-no-such-program"), std::nullopt);
  EXPECT_TRUE(find_program("sh"));
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
}

TEST(Subprocess, SignalsOfOthersAreRestored) {
  struct sigaction before, after;
  ::sigaction(SIGINT, nullptr, &before);
  shell("true");
  ::sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
  EXPECT_THROW(run({.argv = {"sh", "-c", "kill -INT $PPID; tail -f /dev/null"}}), Interrupted);
  ::sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

}  // namespace
}  // namespace loader
