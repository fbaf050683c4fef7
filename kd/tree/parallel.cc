// Loops on several threads. CMakeLists.txt compiles this with OpenMP.
#include "kd/tree/parallel.h"

#include <ATen/Parallel.h>

namespace kd {

void parallel_for(std::int64_t n, std::int64_t grain,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& work) {
  at::parallel_for(0, n, grain, work);
}

}  // namespace kd
