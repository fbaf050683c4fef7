#include "kxm/slurm/outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/error.h"

namespace kxm::slurm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SlurmOutputs, Queue) {
  const auto tasks = parse_queue(
      "2|1|0|RUNNING|59:30|None|n1|kxm:ab\n"
      "1|1|4|PENDING|UNLIMITED|JobArrayTaskLimit||kxm:ab\n"
      "9|9|N/A|COMPLETED|0:00|None|n2|mine | with\n"
      "line breaks\n");
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(tasks[0], (Task{.array = 1,
                            .index = 0,
                            .state = "RUNNING",
                            .reason = "None",
                            .node = "n1",
                            .left = "59:30",
                            .comment = "kxm:ab"}));
  EXPECT_EQ(tasks[1].index, 4);
  EXPECT_EQ(tasks[1].reason, "JobArrayTaskLimit");
  EXPECT_EQ(tasks[2].index, -1);
  EXPECT_EQ(tasks[2].comment, "mine | with");
  EXPECT_THAT(parse_queue(""), IsEmpty());
}

TEST(SlurmOutputs, AQueueThatIsCutOffIsNoAnswer) {
  EXPECT_THROW(parse_queue("2|1|0|RUNNING|59:30|None|n1|kxm:ab\n1|1|4|PEN"), konfig::Error);
}

TEST(SlurmOutputs, Accounts) {
  const auto tasks = parse_accounts(
      "12_0|CANCELLED by 1000|0:15|n1|1700000000|1700000060|kxm:a|b\n"
      "12_1|FAILED|3:0|n2|1700000000|1700000001|\n"
      "12_[2,5-6%2]|PENDING|0:0|None assigned|Unknown|Unknown|\n"
      "13|OUT_OF_MEMORY|0:125|n1|1700000000|1700000001|\n");
  ASSERT_EQ(tasks.size(), 6u);
  EXPECT_EQ(tasks[0], (Task{.array = 12,
                            .index = 0,
                            .state = "CANCELLED",
                            .node = "n1",
                            .comment = "kxm:a|b",
                            .signal = 15,
                            .started = 1700000000,
                            .ended = 1700000060}));
  EXPECT_EQ(tasks[1].exit_code, 3);
  EXPECT_EQ(tasks[2].index, 2);
  EXPECT_EQ(tasks[4].index, 6);
  EXPECT_EQ(tasks[4].node, "");
  EXPECT_EQ(tasks[5].index, -1);
  EXPECT_THROW(parse_accounts("12_0|FAILED"), konfig::Error);
}

TEST(SlurmOutputs, Jobs) {
  const auto tasks = parse_jobs(
      "JobId=1 ArrayJobId=1 ArrayTaskId=4-5%2 ArrayTaskThrottle=2 JobName=j UserId=root(0) "
      "JobState=PENDING Reason=JobArrayTaskLimit Dependency=(null) ExitCode=0:0 NodeList= "
      "NumNodes=1 "
      "Command=/tmp/j.sh JobState=FAILED WorkDir=/ Comment=kxm:ab  StdErr=/x Power= \n"
      "JobId=5 ArrayJobId=1 ArrayTaskId=3 JobState=FAILED Reason=NonZeroExitCode Restarts=2 "
      "ExitCode=3:0 "
      "ReqNodeList=(null) ExcNodeList=(null) NodeList=n1 BatchHost=n1 Comment=kxm:ab \n");
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(tasks[0].index, 4);
  EXPECT_EQ(tasks[0].state, "PENDING");
  EXPECT_EQ(tasks[1].index, 5);
  EXPECT_EQ(tasks[2], (Task{.array = 1,
                            .index = 3,
                            .state = "FAILED",
                            .reason = "NonZeroExitCode",
                            .node = "n1",
                            .comment = "kxm:ab",
                            .restarts = 2,
                            .exit_code = 3}));
  EXPECT_EQ(
      parse_jobs("JobId=1 ArrayJobId=1 ArrayTaskId=4294967294 JobState=CANCELLED\n").at(0).index,
      -1);
  EXPECT_THAT(parse_jobs("No jobs in the system\n"), IsEmpty());
  EXPECT_THROW(parse_jobs("slurm_load_jobs error: Invalid job id specified\n"), konfig::Error);
}

TEST(SlurmOutputs, NodesAndTheirGpus) {
  const auto nodes = parse_nodes(
      "main|4|8000|(null)|infinite|3|idle\n"
      "gpu|64+|257000|gpu:a100:4(S:0,1),gpu:t4:2,shard:8|2-00:00:00|2|mixed\n");
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].cpus, 4);
  EXPECT_EQ(nodes[0].memory, std::int64_t{8000} << 20);
  EXPECT_EQ(nodes[0].gpus(), 0);
  EXPECT_EQ(nodes[1].gpus(), 6);
  EXPECT_EQ(nodes[1].gpus("a100"), 4);
  EXPECT_EQ(nodes[1].seconds, 2 * 86400);
  EXPECT_EQ((Nodes{.gres = "gpu:3"}).gpus(), 3);
  EXPECT_THROW(parse_nodes("sinfo: error\n"), konfig::Error);
}

TEST(SlurmOutputs, Config) {
  const char* text = "MaxArraySize            = 1001\nMaxArraySizeOther = 5\nEmpty =\n";
  EXPECT_EQ(config_value(text, "MaxArraySize"), "1001");
  EXPECT_EQ(config_value(text, "Empty"), "");
  EXPECT_EQ(config_value(text, "Max"), std::nullopt);
}

TEST(SlurmOutputs, Submitted) {
  EXPECT_EQ(parse_submitted("123\n"), 123);
  EXPECT_EQ(parse_submitted("123;west\n"), 123);
  EXPECT_EQ(parse_submitted("12"), std::nullopt);  // the rest may be missing
  EXPECT_EQ(parse_submitted(""), std::nullopt);
  EXPECT_EQ(parse_submitted("error\n"), std::nullopt);
  EXPECT_EQ(parse_submitted("sbatch: warning: 3 of 4\n123\n"), 123);
}

TEST(SlurmOutputs, Indices) {
  EXPECT_THAT(parse_indices("0-4%2"), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(parse_indices("1,3,5-7"), ElementsAre(1, 3, 5, 6, 7));
  EXPECT_THAT(parse_indices("0-10:5"), ElementsAre(0, 5, 10));
  for (const char* wrong : {"", "a", "3-1", "1-", "-1", "0-9:0", "0-2147483647"}) {
    EXPECT_THROW(parse_indices(wrong), konfig::Error) << wrong;
  }
}

TEST(SlurmOutputs, Durations) {
  EXPECT_EQ(parse_duration("90"), 5400);
  EXPECT_EQ(parse_duration("1:30"), 90);
  EXPECT_EQ(parse_duration("1:30:00"), 5400);
  EXPECT_EQ(parse_duration("2-12:00:00"), 2 * 86400 + 12 * 3600);
  EXPECT_EQ(parse_duration("2-12"), 2 * 86400 + 12 * 3600);
  EXPECT_EQ(parse_duration("infinite"), 0);
  EXPECT_EQ(parse_duration(""), 0);
}

}  // namespace
}  // namespace kxm::slurm
