// Files of W&B: records of every length around the ends of blocks.
#include "kd/io/wandb_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace kd::io {
namespace {

std::string file_of(const std::vector<std::string>& records) {
  std::string out = wandb_log_head();
  for (const std::string& record : records) out += wandb_log_frame(out.size(), record);
  return out;
}

WandbLog read(const std::string& file) { return read_wandb_log(own_bytes("run.wandb", file)); }

std::string text_of(std::size_t size, int seed) {
  std::string out(size, '\0');
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<char>(i * 31 + std::size_t(seed));
  return out;
}

// Bytes that the package of W&B wrote.
TEST(WandbLog, Head) {
  EXPECT_EQ(wandb_log_head(), std::string(":W&B\xE1\xBE\0", 7));
  EXPECT_EQ(wandb_log_frame(7, "hello"), std::string("\x9D\x23\xAC\x8A\x05\0\x01hello", 12));
}

TEST(WandbLog, RecordsOfEveryLengthAroundTheEndOfABlock) {
  constexpr std::size_t kBlock = 32768;
  for (std::size_t blocks : {1, 2, 3}) {
    for (std::size_t near = 0; near < 40; ++near) {
      const std::size_t size = blocks * kBlock - 30 + near;
      const std::vector<std::string> records = {text_of(size, 1), text_of(near, 2), "",
                                                text_of(2 * kBlock, 3), text_of(5, 4)};
      const std::string file = file_of(records);
      const WandbLog found = read(file);
      ASSERT_EQ(found.records, records) << size;
      ASSERT_EQ(found.problem, "");
      ASSERT_EQ(found.whole, file.size());
    }
  }
}

TEST(WandbLog, RandomRecordsCutAnywhereOrWithAByteChanged) {
  std::mt19937 random(5);
  auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> records;
    std::vector<std::size_t> ends;
    std::string file = wandb_log_head();
    for (int i = 0; i < 12; ++i) {
      records.push_back(text_of(below(round % 2 ? 100'000 : 9'000), i));
      file += wandb_log_frame(file.size(), records.back());
      ends.push_back(file.size());
    }
    for (int i = 0; i < 20; ++i) {
      const std::size_t at = 7 + below(file.size() - 7);
      const auto whole =
          static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), at) - ends.begin());
      const std::vector<std::string> first(records.begin(),
                                           records.begin() + std::ptrdiff_t(whole));
      const WandbLog cut = read(file.substr(0, at));
      ASSERT_EQ(cut.records, first);
      ASSERT_TRUE(cut.problem.empty() || cut.is_torn);
      std::string changed = file;
      changed[at] = static_cast<char>(changed[at] ^ (1 << below(8)));
      const WandbLog damaged = read(changed);
      ASSERT_EQ(damaged.records, first);
      ASSERT_NE(damaged.problem, "");
    }
  }
}

TEST(WandbLog, OtherFilesHaveNoRecords) {
  for (const std::string& text :
       {std::string("text"), std::string(":W&C"), std::string(":W&B\xE1\xBE\x01", 7)}) {
    const WandbLog found = read(text);
    EXPECT_THAT(found.problem, ::testing::HasSubstr("byte 0: expected ':W&B' and version 0"));
    EXPECT_FALSE(found.is_torn);
  }
  for (const std::string& text : {std::string(), std::string(":W&B")}) {
    EXPECT_TRUE(read(text).is_torn);
    EXPECT_NE(read(text).problem, "");
  }
  const std::string lone = wandb_log_frame(7, text_of(40'000, 1)).substr(32768 - 7);
  EXPECT_THAT(read(wandb_log_head() + lone).problem, ::testing::HasSubstr("byte 7: "));
}

}  // namespace
}  // namespace kd::io
