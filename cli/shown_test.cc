#include "cli/shown.h"

#include <gtest/gtest.h>

namespace cli {
namespace {

TEST(Shown, NothingBreaksATable) {
  EXPECT_EQ(shown("plain é 🍲"), "plain é 🍲");
  EXPECT_EQ(shown("a\nb\tc\r"), "a\\nb\\tc\\r");
  EXPECT_EQ(shown("\x1b[2J\x07"), "\\x1b[2J\\x07");
  EXPECT_EQ(shown("\xc2\x9b"), "\\x9b");
  EXPECT_EQ(shown("a\xe2\x80\xae"
                  "b"),
            "a\\u202eb");
  EXPECT_EQ(shown("\xff"
                  "a"),
            "\xef\xbf\xbd"
            "a");
  EXPECT_EQ(shown(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(shown("a\nb\x1b", "\n"), "a\nb\\x1b");
  EXPECT_EQ(shown(""), "");
}

TEST(Shown, LinesOfLogs) {
  EXPECT_EQ(shown_line("\x1b[31mred\x1b[0m end", true), "\x1b[31mred\x1b[0m end\x1b[0m");
  EXPECT_EQ(shown_line("\x1b[31mred\x1b[0m", true), "\x1b[31mred\x1b[0m");
  EXPECT_EQ(shown_line("\x1b[31mred\x1b[0m", false), "red");
  EXPECT_EQ(shown_line("a\x1b[2J\x1b[5Ab\tc", true), "ab\tc");
  EXPECT_EQ(shown_line("\x1b]0;title\x07"
                       "a\x1b]8;;x\x1b\\b\x1b"
                       "c",
                       true),
            "ab");
  EXPECT_EQ(shown_line("cut \x1b[3", true), "cut ");
  EXPECT_EQ(shown_line("cut \x1b", true), "cut ");
  EXPECT_EQ(shown_line("cut \x1b]0;x", true), "cut ");
  EXPECT_EQ(shown_line("\x08\x07 bell", true), " bell");
}

}  // namespace
}  // namespace cli
