// Threads and device.
#include "kd/engine/engine.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <malloc.h>
#include <torch/headeronly/version.h>

#include "konfig/error.h"
#include "konfig/suggest.h"

namespace kd::engine {

using konfig::Error;
using konfig::ErrorKind;

namespace {

c10::Device& chosen() {
  static c10::Device device(c10::kCPU);
  return device;
}

// libtorch finds its CUDA half when that library is loaded.
void load_cuda() {
  if (!dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL)) {
    throw Error(ErrorKind::unsupported,
                std::string("device cuda: the CUDA libraries are missing (") + dlerror() +
                    "); add them with: scripts/setup_torch --cuda");
  }
  if (!at::globalContext().hasCUDA()) {
    throw Error(ErrorKind::unsupported,
                "device cuda: no CUDA device is usable here; is there a GPU, and its driver?");
  }
}

c10::Device parse(const std::string& text) {
  try {
    c10::Device device(text);
    if (device.is_cpu() || device.is_cuda()) return device;
  } catch (const c10::Error&) {
  }
  throw Error(ErrorKind::value, "device '" + text + "': expected cpu, cuda or cuda:<number>" +
                                    konfig::did_you_mean(text, {"cpu", "cuda"}));
}

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
  c10::Device device = parse(options.device);
  if (device.is_cuda()) load_cuda();
  at::set_num_threads(threads);
  keep_memory();
  chosen() = device;
}

c10::Device device() { return chosen(); }

std::string describe() {
  int threads = at::get_num_threads();
  return "libtorch " TORCH_VERSION " (" + at::get_cpu_capability() + "), device " + device().str() +
         ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

}  // namespace kd::engine
