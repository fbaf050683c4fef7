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

// A queue that takes its jobs back and starts them again, and does not know at once what it took.
struct Fickle {
  std::vector<Seen> looks;
  mutable std::size_t looked = 0;
  mutable Attendant attendant = {};

  void attend(const Attendant& by) const { attendant = by; }
  void submit(std::span<const Attempt> attempts) const { attendant.unclear(attempts.front()); }
  std::vector<Seen> poll(std::span<const Attempt> attempts) const {
    if (attempts.empty()) return {};
    return std::vector<Seen>(attempts.size(), looks.at(looked++));
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

// Each time once, also when it happened between two looks.
TEST_F(Executors, TellThatAJobWasBackInTheQueue) {
  using Is = Seen::Is;
  const executor_test::Fickle queue = {.looks = {{Is::running, {}, "a"},
                                                 {Is::running, {}, "b", 1},
                                                 {Is::waiting, {}, "c"},
                                                 {Is::running, {}, "d", 1},  // not noted yet
                                                 {Is::running, {}, "d", 2},
                                                 {Is::ended, Ended{}}}};
  std::vector<std::string> told;
  RunOptions options;
  options.on_event = [&](const Event& event) {
    const bool tells = event.kind == Event::Kind::note || event.kind == Event::Kind::placed;
    if (tells) told.push_back(event.text);
  };
  const int xid = record({{shell("")}});
  EXPECT_EQ(kxm::run(state, xid, queue, options).units, counts(1));
  EXPECT_THAT(told, testing::ElementsAre("a", "1/1/main was back in the queue", "b",
                                         "1/1/main is back in the queue", "d"));
}

TEST_F(Executors, TellThatTheyDoNotKnowYetWhetherAJobWasTaken) {
  const executor_test::Fickle queue = {.looks = {{Seen::Is::ended, Ended{}}}};
  std::vector<bool> unclear;
  RunOptions options;
  options.on_event = [&](const Event& event) {
    if (event.kind == Event::Kind::submitted) unclear.push_back(event.unclear);
  };
  const int xid = record({{shell("")}, {shell("")}});
  EXPECT_EQ(kxm::run(state, xid, queue, options).units, counts(2));
  EXPECT_THAT(unclear, testing::ElementsAre(true, false));
}

}  // namespace
}  // namespace kxm
