// SHA-256 with the vectors of its standard, and every length of the last block.
#include "base/sha256.h"

#include <gtest/gtest.h>

#include <set>

namespace base {
namespace {

TEST(Sha256, StandardVectors) {
  EXPECT_EQ(base::sha256("abc").substr(0, 8), "ba7816bf");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, EveryLengthCounts) {
  std::set<std::string> digests;
  for (std::size_t n = 0; n <= 200; ++n) digests.insert(sha256(std::string(n, '\0')));
  EXPECT_EQ(digests.size(), 201u);
}

}  // namespace
}  // namespace base
