// Splits, as TFDS reads them.
#include "kd/data/sources/splits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/data/formats.h"
#include "kd/io/checksum.h"
#include "konfig/error.h"

namespace kd::data {
namespace {

using ::testing::HasSubstr;

const std::vector<SplitInfo> kSplits = {{"train", {60, 40}}, {"test", {30}}};

std::vector<std::tuple<std::size_t, std::int64_t, std::int64_t>> ranges(const std::string& text) {
  std::vector<std::tuple<std::size_t, std::int64_t, std::int64_t>> out;
  for (auto& r : split_ranges(text, kSplits)) out.emplace_back(r.split, r.begin, r.end);
  return out;
}
using Ranges = decltype(ranges(""));

TEST(Splits, SlicesAndSums) {
  EXPECT_EQ(ranges("train"), (Ranges{{0, 0, 100}}));
  EXPECT_EQ(ranges("train[:90%]"), (Ranges{{0, 0, 90}}));
  EXPECT_EQ(ranges("train[90%:]"), (Ranges{{0, 90, 100}}));
  EXPECT_EQ(ranges("train[10:20]"), (Ranges{{0, 10, 20}}));
  EXPECT_EQ(ranges("train[-10:]"), (Ranges{{0, 90, 100}}));
  EXPECT_EQ(ranges("train[-20%:-10%]"), (Ranges{{0, 80, 90}}));
  EXPECT_EQ(ranges("train[:7]+test[:50%]"), (Ranges{{0, 0, 7}, {1, 0, 15}}));
  EXPECT_EQ(ranges(" train + test "), (Ranges{{0, 0, 100}, {1, 0, 30}}));
  EXPECT_EQ(ranges("all"), (Ranges{{0, 0, 100}, {1, 0, 30}}));
  EXPECT_EQ(ranges("train[1shard]"), (Ranges{{0, 60, 100}}));
  EXPECT_EQ(ranges("train[:1shard]"), (Ranges{{0, 0, 60}}));
  EXPECT_EQ(ranges("train[500:]"), (Ranges{{0, 100, 100}}));
}

TEST(Splits, PercentsAreRoundedToTheNearest) {
  const std::vector<SplitInfo> odd = {{"train", {333}}};
  EXPECT_EQ(split_ranges("train[:50%]", odd)[0].end, 166);  // 166.5: half to even
  EXPECT_EQ(split_ranges("train[:33%]", odd)[0].end, 110);
  EXPECT_EQ(split_ranges("train[:33%](pct1_dropremainder)", odd)[0].end, 99);
}

TEST(Splits, ErrorsPointAtTheText) {
  auto error = [](const std::string& text) -> std::string {
    try {
      split_ranges(text, kSplits);
    } catch (const konfig::Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error("trian"),
            "cfg.split: 'trian': there is no 'trian', only train, test; did you mean 'train'?");
  EXPECT_THAT(error("train[5]"), HasSubstr("':' was expected at ']'"));
  EXPECT_THAT(error("train[:5"), HasSubstr("']' was expected at ''"));
  EXPECT_THAT(error("train[:5%:]"), HasSubstr("']' was expected at ':]'"));
  EXPECT_THAT(error("train[1:5%]"), HasSubstr("the same unit"));
  EXPECT_THAT(error("train[:200%]"), HasSubstr("beyond 100%"));
  EXPECT_THAT(error(""), HasSubstr("the name of a split"));
  EXPECT_THAT(error("train]"), HasSubstr("there is no 'train]'"));
  EXPECT_THAT(error("train[:99999999999999999999]"), HasSubstr("a smaller number"));
}

TEST(Checksums, KnownValues) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  // The block header that every Riegeli file begins with.
  EXPECT_EQ(riegeli_hash(std::string("\0\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0", 16)),
            0x3f4a880dd170af83u);
  EXPECT_EQ(riegeli_hash(""), 0x72c3b1e9c0139fe1u);
}

}  // namespace
}  // namespace kd::data
