#include "base/count_text.h"

#include <gtest/gtest.h>

namespace {

TEST(CountText, OneAndMany) {
  EXPECT_EQ(base::count_text(0, "step"), "0 steps");
  EXPECT_EQ(base::count_text(1, "step"), "1 step");
  EXPECT_EQ(base::count_text(3, "more unit"), "3 more units");
}

}  // namespace
