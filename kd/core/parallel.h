// Loops on several threads: those of libtorch, as many as at::set_num_threads says.
//
//   parallel_for(n, 4096, [&](std::int64_t begin, std::int64_t end) { ... });
//
// at::parallel_for itself is parallel only in sources that are compiled with OpenMP, and silently
// serial elsewhere; this one is parallel for all.
#pragma once

#include <cstdint>
#include <functional>

namespace kd {

// Calls work(begin, end) for parts of 0..n, one for each thread. Fewer than `grain` elements are
// not worth a thread. What the work throws is thrown here.
void parallel_for(std::int64_t n, std::int64_t grain,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& work);

}  // namespace kd
