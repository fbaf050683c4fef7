#include "base/shell_quote.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(ShellQuote, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_quote("--lr=0.1"), "--lr=0.1");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(base::shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_quote("it's"), "'it'\"'\"'s'");
}

}  // namespace
}  // namespace base
