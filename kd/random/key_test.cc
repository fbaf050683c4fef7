// Tests of keys: known values, what makes keys differ, and arguments out of range.
#include "kd/random/key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>

#include "konfig/error.h"

namespace kd::random {
namespace {

using ::testing::HasSubstr;

void expect_error(const std::string& text, const std::function<void()>& f) {
  try {
    f();
    ADD_FAILURE() << "no error; wanted: " << text;
  } catch (const konfig::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(text));
  }
}

TEST(Key, ThreefryVectors) {
  // Known answers of the authors of Threefry.
  EXPECT_EQ(threefry(Key{0, 0}, Key{0, 0}), (Key{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(threefry(Key{~0u, ~0u}, Key{~0u, ~0u}), (Key{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(threefry(Key{0x13198a2e, 0x03707344}, Key{0x243f6a88, 0x85a308d3}),
            (Key{0xc4923a9c, 0x483df7a0}));
}

TEST(Key, SeedsCountModuloTwoTo32) {
  EXPECT_EQ(key(42), (Key{0, 42}));
  EXPECT_EQ(key(-1), (Key{0, 0xffffffff}));
  EXPECT_EQ(key((std::int64_t{1} << 32) + 5), key(5));
  EXPECT_EQ(key64((std::int64_t{1} << 32) + 5), (Key{1, 5}));
  EXPECT_EQ(key64(-1), (Key{0xffffffff, 0xffffffff}));
  EXPECT_EQ(key(std::numeric_limits<std::int64_t>::min()), (Key{0, 0}));
}

TEST(Key, SeedsBeyond64BitsAreRefused) {
  expect_error("not 18446744073709551615", [] { key(~std::uint64_t{0}); });
  expect_error("not 9223372036854775808", [] { key64(std::uint64_t{1} << 63); });
}

TEST(Key, FoldsNumbers) {
  EXPECT_EQ(fold_in(key(7), 3), threefry(key(7), Key{0, 3}));
  EXPECT_EQ(fold_in(key(7), 3u), fold_in(key(7), std::int64_t{3}));
  EXPECT_NE(fold_in(key(7), 0), key(7));
  EXPECT_EQ(fold_in(key(7), 0xffffffffu), threefry(key(7), Key{0, 0xffffffff}));
  expect_error("not -1", [] { fold_in(key(7), -1); });
  expect_error("not 4294967296", [] { fold_in(key(7), std::int64_t{1} << 32); });
  expect_error("not -9223372036854775808",
               [] { fold_in(key(7), std::numeric_limits<std::int64_t>::min()); });
}

TEST(Key, FoldsNames) {
  EXPECT_EQ(hash("params"), 4252697422u);
  EXPECT_EQ(hash("dropout"), 4207570609u);
  EXPECT_EQ(hash("default"), 1963316810u);
  EXPECT_EQ(fold_in(key(0), "kmix"), (Key{3804142046, 4069265273}));
  EXPECT_EQ(as_seed(fold_in(key(0), "kmix")), 2176051155u);
  EXPECT_EQ(as_seed(fold_in(fold_in(key(0), "kmix"), "shuffle")), 1346437653u);
}

TEST(Key, SplitGivesDistinctKeys) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const Key& k : split(key(3), 1000)) seen.insert({k.hi, k.lo});
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(Key, SplitBeginsAlike) {
  auto five = split(key(3), 5), eight = split(key(3), 8);
  EXPECT_TRUE(std::equal(five.begin(), five.end(), eight.begin()));
  EXPECT_EQ(next(key(3)), five[0]);
  auto [a, b] = split<2>(key(3));
  EXPECT_EQ(a, five[0]);
  EXPECT_EQ(b, five[1]);
}

TEST(Key, TheOriginalSplitDependsOnTheNumber) {
  EXPECT_NE(split(key(3), 2, Mode::original)[0], split(key(3), 3, Mode::original)[0]);
  EXPECT_NE(split(key(3), 2, Mode::original), split(key(3), 2));
}

TEST(Key, SplitIntoNoneAndTooMany) {
  EXPECT_TRUE(split(key(3), 0).empty());
  EXPECT_TRUE(split(key(3), 0, Mode::original).empty());
  expect_error("cannot make -1 keys", [] { split(key(3), -1); });
  expect_error("cannot make 2147483648 keys", [] { split(key(3), std::int64_t{1} << 31); });
}

TEST(Key, PathsHaveNoSeparators) {
  using Path = std::vector<std::string>;
  EXPECT_EQ(fold_in_path(key(0), Path{"a", "b"}, 1), fold_in_path(key(0), Path{"ab"}, 1));
  EXPECT_NE(fold_in_path(key(0), Path{"a"}, 1), fold_in_path(key(0), Path{"a"}, 2));
  EXPECT_EQ(fold_in_path(key(0), Path{"Dense_0"}, 1), fold_in(key(0), "Dense_0\x01"));
  EXPECT_EQ(fold_in_path(key(0), Path{"x"}, 256), fold_in(key(0), std::string("x\x01\0", 3)));
  EXPECT_EQ(fold_in_path(key(0), Path{}, 0), fold_in(key(0), ""));
}

TEST(Key, GeneralPaths) {
  using Parts = std::vector<PathPart>;
  EXPECT_EQ(fold_in_path(key(0), Parts{}), key(0));
  EXPECT_EQ(fold_in_path(key(0), Parts{"a", std::uint64_t{1}, "b"}), fold_in(key(0),
                                                                             "a\x01"
                                                                             "b"));
  EXPECT_EQ(fold_in_path(key(0), Parts{"a", std::uint64_t{7}}),
            fold_in_path(key(0), std::vector<std::string>{"a"}, 7));
}

TEST(Key, ArraysOfCounters) {
  std::uint32_t counts[] = {5, 6, 7};
  auto words = threefry(key(1), counts);
  // Three counters are padded: (5, 7) and (6, 0).
  Key first = threefry(key(1), Key{5, 7}), second = threefry(key(1), Key{6, 0});
  EXPECT_THAT(words, ::testing::ElementsAre(first.hi, second.hi, first.lo));
  EXPECT_TRUE(threefry(key(1), std::span<const std::uint32_t>{}).empty());
}

}  // namespace
}  // namespace kd::random
