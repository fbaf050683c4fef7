#include "base/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace base {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Lines, EndAtNewlines) {
  EXPECT_THAT(lines_of("a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines_of("a\n"), ElementsAre("a"));
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_THAT(lines_of(""), IsEmpty());
}

}  // namespace
}  // namespace base
