// A checked call that fits allocates nothing.
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "kd/typing/typing.h"

namespace {
thread_local std::size_t allocations = 0;
}

// GCC sees malloc behind the one and free behind the other only after inlining, and warns.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size ? size : 1)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size ? size : 1);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace kd::typing {
namespace {

struct Head {
  int features = 4;
  Float<"*b n {features}"> call(Float<"*b n {features}"> x, Float<"*b h*w #c">,
                                std::optional<Float<"h w t?">>) const {
    return x;
  }
};

TEST(Allocation, ACallMakesNone) {
  Tensor x = at::ones({2, 3, 5, 4}), y = at::ones({2, 3, 6, 1}), z = at::ones({3, 2});
  Head head;
  checked<&Head::call>(head, x, y, z);  // fills tables that are made once
  auto before = allocations;
  checked<&Head::call>(head, x, y, z);
  EXPECT_EQ(allocations, before);
  set_enabled(false);
  checked<&Head::call>(head, x, y, z);
  EXPECT_EQ(allocations, before);
  set_enabled(true);
}

}  // namespace
}  // namespace kd::typing
