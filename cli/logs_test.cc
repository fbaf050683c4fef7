// kd logs: of one job, of several, of attempts, and of jobs that run.
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/launched_test.h"
#include "cli/program.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class KdLogs : public Launched {};

TEST_F(KdLogs, OfOneJobAsItIs) {
  launch("mine", {{{}, {job("train", "printf 'one\\r\\ntwo\\nhalf'; echo no >&2")}}});
  const Outcome run = kd({"logs", "1"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(run.out, "one\r\ntwo\nhalfno\n");
  EXPECT_EQ(kd({"logs", "1/1/train", "--tail=1"}).out, "halfno\n");
  EXPECT_EQ(kd({"logs", "1/1", "--tail=9"}).out, run.out);
}

TEST_F(KdLogs, OfSeveralWithTheirNames) {
  launch("mine", {{{}, {job("train", "echo a; echo b"), job("eval", "printf c")}}});
  const Outcome run = kd({"logs", "1/1"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(run.out, "train | a\ntrain | b\neval  | c\n");
  EXPECT_EQ(kd({"logs", "1/1/eval"}).out, "c");
  EXPECT_EQ(kd({"logs", "1/1", "--tail=1", "--format=json"}).out,
            "{\"job\": \"train\", \"attempt\": 1, \"line\": \"b\"}\n"
            "{\"job\": \"eval\", \"attempt\": 1, \"line\": \"c\"}\n");
}

// Bytes that no JSON can have.
TEST_F(KdLogs, OfAnyBytes) {
  launch("mine",
         {{{}, {job("train", "printf 'a\\377\\342\\202b \\360\\237\\215\\262\\n' # \xff")}}});
  EXPECT_EQ(kd({"logs", "1"}).out,
            "a\xff\xe2\x82"
            "b \xf0\x9f\x8d\xb2\n");
  const konfig::Value line = json({"logs", "1"});
  EXPECT_EQ(line.as<konfig::Dict>().at("line"),
            konfig::Value("a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                          "b \xf0\x9f\x8d\xb2"));
  EXPECT_EQ(json({"status", "1/1"}).as<konfig::Dict>().at("state"), konfig::Value("finished"));
}

TEST_F(KdLogs, OfAttempts) {
  const int xid = launch("mine", {{{},
                                   {job("train",
                                        "[ -e again ] && echo two && exit; "
                                        "touch again; echo one; exit 1")}}});
  run(xid, {.again = true});
  const Outcome last = kd({"logs", "1/1"});
  EXPECT_EQ(last.err, "1/1/train: attempt 2; --attempt=1 shows the first\n");
  const Outcome first = kd({"logs", "1/1", "--attempt=1"});
  EXPECT_THAT(first.out, StartsWith("one\n"));
  const Outcome none = kd({"logs", "1/1", "--attempt=3"});
  EXPECT_EQ(none.code, kFailure);
  EXPECT_EQ(none.first_error_line(), "kd: error: 1/1/train has no attempt 3; it has 2");
}

TEST_F(KdLogs, FollowsUntilTheEnd) {
  const int xid = record("mine", {{{}, {job("train", "echo one; sleep 1; echo two; exit 4")}}});
  start(xid);
  const Outcome run = kd({"logs", "1", "-f"});
  EXPECT_EQ(run.code, kFine);
  EXPECT_EQ(run.out, "one\ntwo\n");
  EXPECT_THAT(run.err, HasSubstr("1/1/train: failed: exit code 4\n"));
  EXPECT_EQ(kd({"logs", "1", "-f", "--tail=1"}).out, "two\n");
}

TEST_F(KdLogs, WithoutAny) {
  record("mine", {{{}, {job("train", "true")}}, {{}, {job("train", "true")}}});
  Outcome run = kd({"logs", "1/1"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_EQ(run.err, "1/1/train: no log yet: the job is waiting\n");
  run = kd({"logs", "1/1", "-f"});
  EXPECT_THAT(run.err,
              StartsWith("nothing runs experiment 1 now; `kd resume 1` goes on with it\n"));
  run = kd({"logs", "1"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_EQ(run.first_error_line(),
            "kd: error: experiment 1 has 2 units: name one of them, such as 1/1; `kd status 1` "
            "lists them");
  run = kd({"logs"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(), "kd: error: WHAT is missing");
}

// The job lives on, and what it prints is not to be found.
TEST_F(KdLogs, OfAFolderThatIsGone) {
  write_text(folder_ / "go_on", "");  // it ends with the test
  start(record("mine", {{{}, {job("train", "while [ -e go_on ]; do sleep 0.1; done")}}}));
  fs::remove_all(folder_ / "mine_1");
  const Outcome run = kd({"logs", "1/1"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.err, StartsWith("1/1/train: the records of experiment 1 are not in " +
                                  (folder_ / "mine_1/.kxm")));
}

}  // namespace
}  // namespace cli
