// Loops on several threads, by the OpenMP runtime that libtorch uses.
#include "kd/core/parallel.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <exception>

// What GCC makes of `#pragma omp parallel`, called by name: the pragma itself is ignored without a
// flag, and clang's flag brings another runtime, whose threads would contend with libtorch's.
extern "C" {
void GOMP_parallel(void (*work)(void*), void* data, unsigned threads, unsigned flags);
int omp_get_num_threads();
int omp_get_thread_num();
}

namespace kd {
namespace {

struct Loop {
  std::int64_t n;
  std::int64_t grain;
  const std::function<void(std::int64_t, std::int64_t)>& work;
  std::atomic_flag failed = {};
  std::exception_ptr error = nullptr;
};

void run_part(Loop& loop, int thread, std::int64_t begin, std::int64_t end) {
  at::internal::ThreadIdGuard id(thread);
  c10::ParallelGuard parallel(true);
  loop.work(begin, end);
}

// The part of the thread that calls it. An exception must not leave a thread.
void run_on_thread(void* data) {
  Loop& loop = *static_cast<Loop*>(data);
  const std::int64_t most = at::divup(loop.n, std::max<std::int64_t>(loop.grain, 1));
  const std::int64_t part = at::divup(loop.n, std::min<std::int64_t>(omp_get_num_threads(), most));
  const int thread = omp_get_thread_num();
  if (thread * part >= loop.n) return;
  try {
    run_part(loop, thread, thread * part, std::min(loop.n, (thread + 1) * part));
  } catch (...) {
    if (!loop.failed.test_and_set()) loop.error = std::current_exception();
  }
}

}  // namespace

void parallel_for(std::int64_t n, std::int64_t grain,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& work) {
  if (n <= 0) return;
  at::internal::lazy_init_num_threads();
  Loop loop{.n = n, .grain = grain, .work = work};
  const int threads = at::get_num_threads();
  if (n <= grain || n == 1 || threads == 1 || at::in_parallel_region()) {
    return run_part(loop, 0, 0, n);
  }
  GOMP_parallel(run_on_thread, &loop, static_cast<unsigned>(threads), 0);
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace kd
