#include "base/c_strings.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(CStrings, EndWithANullPointer) {
  std::vector<std::string> texts = {"ls", "-l"};
  const std::vector<char*> argv = c_strings(texts);
  ASSERT_EQ(argv.size(), 3u);
  EXPECT_STREQ(argv[0], "ls");
  EXPECT_STREQ(argv[1], "-l");
  EXPECT_EQ(argv[2], nullptr);
}

}  // namespace
}  // namespace base
