#include "base/clock.h"

#include <gtest/gtest.h>

#include <ctime>

namespace base {
namespace {

TEST(Clock, CountsSecondsSince1970) {
  const auto before = static_cast<double>(std::time(nullptr));
  const double time = now();
  EXPECT_GE(time, before);
  EXPECT_LT(time, before + 3600);
}

}  // namespace
}  // namespace base
