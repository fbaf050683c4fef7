// Threads and device.
#include "kd/engine/engine.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <malloc.h>
#include <torch/headeronly/version.h>

#include "konfig/error.h"

namespace kd::engine {

using konfig::Error;
using konfig::ErrorKind;

namespace {

// glibc gives big blocks back to the system at once, and gets them anew, page by page, in the next
// step. Keeping them made steps of a ViT a tenth faster.
void keep_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most it takes
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

}  // namespace

void configure(const Options& options) {
  int threads = options.threads.value_or(available_cores());
  if (threads < 1) {
    throw Error(ErrorKind::value, "threads: at least 1 is needed, not " + std::to_string(threads));
  }
  check_device(options.device);
  at::set_num_threads(threads);
  keep_memory();
}

c10::Device device() { return c10::kCPU; }

std::string describe() {
  int threads = at::get_num_threads();
  return "libtorch " TORCH_VERSION " (" + at::get_cpu_capability() + "), device " + device().str() +
         ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

}  // namespace kd::engine
