#include "base/number_in.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace base {
namespace {

TEST(NumberIn, ReadsTheWholeText) {
  std::optional<int> step = base::number_in<int>("12");
  EXPECT_EQ(step, 12);
  EXPECT_EQ(number_in<int>("-3"), -3);
  EXPECT_EQ(number_in<double>("2.5"), 2.5);
}

TEST(NumberIn, RefusesAnythingElse) {
  for (const char* text : {"", "12x", " 12", "12 ", "+12", "x", "1.5"}) {
    EXPECT_EQ(number_in<int>(text), std::nullopt) << text;
  }
  EXPECT_EQ(number_in<int>("99999999999"), std::nullopt);
  EXPECT_EQ(number_in<unsigned>("-1"), std::nullopt);
  EXPECT_EQ(number_in<std::int64_t>("99999999999"), 99999999999);
}

}  // namespace
}  // namespace base
