#include "cli/log_tails.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/spawn_test.h"

namespace cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Tails : public testing::Test {
 protected:
  void append(const std::string& text) const { std::ofstream(file_, std::ios::app) << text; }
  std::vector<std::string> read() {
    std::vector<std::string> lines;
    tails_.read([&](auto& name, auto line) { lines.push_back(name + " | " + std::string(line)); });
    return lines;
  }
  std::vector<std::string> finish() {
    std::vector<std::string> lines;
    tails_.finish("a", [&](auto&, auto line) { lines.emplace_back(line); });
    return lines;
  }
  TempFolder folder_;
  std::string file_ = folder_ / "log.txt";
  LogTails tails_;
};

TEST_F(Tails, WholeLinesAsTheyCome) {
  tails_.add("a", file_);
  EXPECT_THAT(read(), IsEmpty());  // not there yet
  append("one\ntw");
  EXPECT_THAT(read(), ElementsAre("a | one"));
  append("o\n\nthree");
  EXPECT_THAT(read(), ElementsAre("a | two", "a | "));
  EXPECT_THAT(finish(), ElementsAre("three"));
  append("\nfour\n");
  EXPECT_THAT(read(), IsEmpty());  // no longer followed
}

TEST_F(Tails, OfALineDrawnAnewTheLastForm) {
  tails_.add("a", file_);
  append("10%\r20%\r30%");
  EXPECT_THAT(read(), IsEmpty());
  append("\r100%\r\n");
  EXPECT_THAT(read(), ElementsAre("a | 100%"));
}

TEST_F(Tails, OfVeryMuchTheEnd) {
  tails_.add("a", file_);
  append("one\n");
  EXPECT_EQ(tails_.skip("a", 1000), 0);
  std::string much;
  for (int i = 0; i < 20'000; ++i) much += "line " + std::to_string(i) + "\n";
  append(much);
  EXPECT_EQ(tails_.skip("a", 1000), 4 + static_cast<std::int64_t>(much.size()) - (1 << 16));
  const auto lines = read();
  EXPECT_LT(lines.size(), 10'000u);
  EXPECT_EQ(lines.back(), "a | line 19999");
  EXPECT_EQ(tails_.skip("b", 1000), 0);
}

TEST_F(Tails, OfALongLineTheBeginningIsRemembered) {
  LogTails tails(100);
  tails.add("a", file_);
  std::vector<std::string> lines;
  const auto add = [&](auto&, auto line) { lines.emplace_back(line); };
  for (int i = 0; i < 3; ++i) {
    append(std::string(90, static_cast<char>('a' + i)));
    tails.read(add);
  }
  append("\n1%\r" + std::string(120, 'x') + "\r2%");
  tails.read(add);
  append("\n");
  tails.read(add);
  EXPECT_THAT(lines, ElementsAre(std::string(90, 'a') + std::string(10, 'b'), "2%"));
}

TEST_F(Tails, MoreThanIsReadAtOnce) {
  tails_.add("a", file_);
  append(std::string(3 << 20, 'x') + "\nend");
  const auto lines = finish();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].size(), std::size_t{3} << 20);
  EXPECT_EQ(lines[1], "end");
}

TEST_F(Tails, TheLastLines) {
  EXPECT_THAT(last_lines(file_, 2), IsEmpty());
  append("one\ntwo\n50%\r60%\nthree");
  EXPECT_THAT(last_lines(file_, 2), ElementsAre("60%", "three"));
  EXPECT_THAT(last_lines(file_, 9), ElementsAre("one", "two", "60%", "three"));
}

TEST_F(Tails, WhereTheLastLinesBegin) {
  EXPECT_EQ(start_of_last_lines(file_, 1), 0);  // not there
  append("one\ntwo\nthree\n");
  EXPECT_EQ(start_of_last_lines(file_, 0), 14);
  EXPECT_EQ(start_of_last_lines(file_, 1), 8);
  EXPECT_EQ(start_of_last_lines(file_, 2), 4);
  EXPECT_EQ(start_of_last_lines(file_, 3), 0);
  EXPECT_EQ(start_of_last_lines(file_, 9), 0);
  append("half");
  EXPECT_EQ(start_of_last_lines(file_, 1), 14);
  append(std::string(1 << 18, 'x'));  // longer than what is read at once
  EXPECT_EQ(start_of_last_lines(file_, 2), 8);
  tails_.add("a", file_, 8);
  EXPECT_THAT(read(), ElementsAre("a | three"));
}

}  // namespace
}  // namespace cli
