// Memory of batches, used again: an epoch allocates no more than its first batches did.
#pragma once

#include <cstdint>
#include <span>

#include "kd/core/tensor.h"

namespace kd::data {

// A tensor without values yet. Its memory goes back to a pool when the last user lets go of it, and
// the next tensor of that size takes it from there.
Tensor new_buffer(std::span<const std::int64_t> shape, c10::ScalarType dtype);

struct BufferStats {
  std::int64_t made = 0;        // blocks taken from the system
  std::int64_t used_again = 0;  // blocks taken from the pool
  std::int64_t idle_bytes = 0;  // in the pool at the moment
};
BufferStats buffer_stats();

}  // namespace kd::data
