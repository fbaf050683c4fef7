// A checked call that fits allocates nothing.
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include "base/allocations_test.h"
#include "kd/typing/typing.h"

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
  auto before = base::allocations;
  checked<&Head::call>(head, x, y, z);
  EXPECT_EQ(base::allocations, before);
  set_enabled(false);
  checked<&Head::call>(head, x, y, z);
  EXPECT_EQ(base::allocations, before);
  set_enabled(true);
}

}  // namespace
}  // namespace kd::typing
