// Tests of SHA-1 with the vectors of its standard, and of every length of the last block.
#include "kd/random/sha1.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace kd::random {
namespace {

using ::testing::ElementsAre;

TEST(Sha1, StandardVectors) {
  EXPECT_THAT(sha1(""),
              ElementsAre(0xda39a3eeu, 0x5e6b4b0du, 0x3255bfefu, 0x95601890u, 0xafd80709u));
  EXPECT_THAT(sha1("abc"),
              ElementsAre(0xa9993e36u, 0x4706816au, 0xba3e2571u, 0x7850c26cu, 0x9cd0d89du));
  EXPECT_THAT(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              ElementsAre(0x84983e44u, 0x1c3bd26eu, 0xbaae4aa1u, 0xf95129e5u, 0xe54670f1u));
  EXPECT_THAT(sha1(std::string(1'000'000, 'a')),
              ElementsAre(0x34aa973cu, 0xd4c4daa4u, 0xf61eeb2bu, 0xdbad2731u, 0x6534016fu));
}

TEST(Sha1, EveryLengthCounts) {
  std::set<std::array<std::uint32_t, 5>> digests;
  for (std::size_t n = 0; n <= 200; ++n) digests.insert(sha1(std::string(n, '\0')));
  EXPECT_EQ(digests.size(), 201u);
}

}  // namespace
}  // namespace kd::random
