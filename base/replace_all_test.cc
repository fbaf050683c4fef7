#include "base/replace_all.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(ReplaceAll, EveryOccurrence) {
  EXPECT_EQ(replace_all("a-b-c", "-", ", "), "a, b, c");
  EXPECT_EQ(replace_all("aaa", "aa", "b"), "ba");
  EXPECT_EQ(replace_all("abc", "x", "y"), "abc");
  EXPECT_EQ(replace_all("abc", "b", ""), "ac");
}

TEST(ReplaceAll, WhatWasPutInStays) {
  EXPECT_EQ(replace_all("50%", "%", "%%"), "50%%");
  EXPECT_EQ(replace_all("ab", "b", "ab"), "aab");
}

TEST(ReplaceAll, AnEmptyPartChangesNothing) { EXPECT_EQ(replace_all("ab", "", "x"), "ab"); }

}  // namespace
}  // namespace base
