// Tests of parallel loops: every element once, on as many threads as there should be.
#include "kd/core/parallel.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace kd {
namespace {

// Restores the number of threads.
struct Threads {
  explicit Threads(int n) { at::set_num_threads(n); }
  ~Threads() { at::set_num_threads(before); }
  int before = at::get_num_threads();
};

std::set<std::thread::id> used(std::int64_t n, std::int64_t grain) {
  std::mutex mutex;
  std::set<std::thread::id> out;
  parallel_for(n, grain, [&](std::int64_t, std::int64_t) {
    std::lock_guard lock(mutex);
    out.insert(std::this_thread::get_id());
  });
  return out;
}

TEST(Parallel, EveryElementOnce) {
  Threads threads(2);
  for (std::int64_t n : {0, 1, 2, 3, 1000}) {
    std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
    parallel_for(n, 1, [&](std::int64_t begin, std::int64_t end) {
      for (; begin < end; ++begin) ++seen[static_cast<std::size_t>(begin)];
    });
    for (auto& count : seen) EXPECT_EQ(count, 1);
  }
}

TEST(Parallel, UsesTheThreads) {
  Threads threads(2);
  EXPECT_EQ(used(1000, 1).size(), 2u);
  EXPECT_EQ(used(1000, 1000).size(), 1u);
}

TEST(Parallel, OneThreadIsThisOne) {
  Threads threads(1);
  EXPECT_EQ(used(1000, 1), std::set{std::this_thread::get_id()});
}

TEST(Parallel, ErrorsArrive) {
  Threads threads(2);
  auto fail = [](std::int64_t, std::int64_t) { throw std::runtime_error("no"); };
  EXPECT_THROW(parallel_for(1000, 1, fail), std::runtime_error);
}

}  // namespace
}  // namespace kd
