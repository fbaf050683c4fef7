// A pool of memory blocks by size.
#include "kd/data/engine/buffers.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <vector>

namespace kd::data {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kLeast = 4096;           // smaller ones are the allocator's business
constexpr std::size_t kMostIdlePerSize = 512;  // a batch of records, a few times
constexpr std::int64_t kMostIdleBytes = std::int64_t{1} << 29;

class Pool {
 public:
  void* take(std::size_t bytes) {
    {
      std::lock_guard lock(mutex_);
      auto found = idle_.find(bytes);
      if (found != idle_.end() && !found->second.empty()) {
        void* block = found->second.back();
        found->second.pop_back();
        stats_.idle_bytes -= static_cast<std::int64_t>(bytes);
        ++stats_.used_again;
        return block;
      }
      ++stats_.made;
    }
    void* block =
        std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    if (!block) throw std::bad_alloc();
    return block;
  }

  void give_back(void* block, std::size_t bytes) {
    const auto size = static_cast<std::int64_t>(bytes);
    {
      std::lock_guard lock(mutex_);
      auto& blocks = idle_[bytes];
      if (blocks.size() < kMostIdlePerSize && stats_.idle_bytes + size <= kMostIdleBytes) {
        blocks.push_back(block);
        stats_.idle_bytes += size;
        return;
      }
    }
    std::free(block);
  }

  BufferStats stats() {
    std::lock_guard lock(mutex_);
    return stats_;
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> idle_;
  BufferStats stats_;
};

// Never destroyed: tensors may outlive everything else.
Pool& pool() {
  static auto* pool = new Pool;
  return *pool;
}

}  // namespace

Tensor new_buffer(std::span<const std::int64_t> shape, c10::ScalarType dtype) {
  const c10::IntArrayRef sizes(shape.data(), shape.size());
  const auto numel =
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies{});
  const std::size_t bytes = static_cast<std::size_t>(numel) * c10::elementSize(dtype);
  if (bytes < kLeast) return at::empty(sizes, dtype);
  return at::from_blob(
      pool().take(bytes), sizes, [bytes](void* block) { pool().give_back(block, bytes); }, dtype);
}

BufferStats buffer_stats() { return pool().stats(); }

}  // namespace kd::data
