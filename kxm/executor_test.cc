// Executors as components of configs: found by the type that a Poly holds.
#include "kxm/executor.h"

#include "konfig/register.h"
#include "kxm/fixture_test.h"

namespace kxm::executor_test {

struct Instant {
  int code = 0;  // with which every job ends

  void submit(std::span<const Attempt>) const {}
  std::vector<Seen> poll(std::span<const Attempt> attempts) const {
    const Ended ended = {.how = code == 0 ? End::finished : End::exit_code, .code = code};
    return std::vector<Seen>(attempts.size(), Seen{Seen::Is::ended, ended});
  }
  void stop(std::span<const Attempt>, Stop) const {}
  void wait(std::span<const Attempt>, int) const {}
};

}  // namespace kxm::executor_test

KONFIG_LOCAL_COMPONENT(kxm::Executor, kxm::executor_test::Instant);
KONFIG_IMPLEMENT(kxm::Executor, kxm::executor_test::Instant);

namespace kxm {
namespace {

using Executors = RunTest;

TEST_F(Executors, OfAConfig) {
  const konfig::Poly<Executor> executor = executor_test::Instant{.code = 5};
  const int xid = record({{shell("")}});
  EXPECT_EQ(kxm::run(state, xid, executor).units, counts(0, 1));
  EXPECT_EQ(why(xid, 1), "exit code 5");
  EXPECT_TRUE(ExecutorRef(executor).queues());
  EXPECT_FALSE(ExecutorRef(local).queues());
}

}  // namespace
}  // namespace kxm
