#include "base/join.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace base {
namespace {

using Names = std::vector<std::string>;

TEST(Join, TextsOfAnyKind) {
  EXPECT_EQ(join(Names{"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join(std::set<std::string>{"b", "a"}, "|"), "a|b");
  EXPECT_EQ(join(std::array<std::string_view, 2>{"x", "y"}, ""), "xy");
  const char* const words[] = {"one", "two"};
  EXPECT_EQ(join(words, " "), "one two");
}

TEST(Join, NoSeparatorAtTheEnds) {
  EXPECT_EQ(join(Names{}, ", "), "");
  EXPECT_EQ(join(Names{"a"}, ", "), "a");
}

TEST(Join, EmptyTextsCount) {
  EXPECT_EQ(join(Names{"", ""}, ","), ",");
  EXPECT_EQ(join(Names{"", "a", ""}, ","), ",a,");
}

TEST(Join, Integers) {
  EXPECT_EQ(join(std::vector<std::int64_t>{2, -1}, ", "), "2, -1");
  EXPECT_EQ(join(std::span<const int>(std::array{1, 2, 3}).first(2), " "), "1 2");
}

TEST(Join, ATextForEachItem) {
  struct Field {
    std::string name;
    int rank() const { return static_cast<int>(name.size()); }
  };
  const std::vector<Field> fields = {{"w"}, {"bias"}};
  EXPECT_EQ(join(fields, ", ", &Field::name), "w, bias");
  EXPECT_EQ(join(fields, ", ", &Field::rank), "1, 4");
  EXPECT_EQ(join(fields, ", ", [](auto& field) { return "'" + field.name + "'"; }), "'w', 'bias'");
  const std::map<std::string, int> map = {{"a", 1}, {"b", 2}};
  EXPECT_EQ(join(map, " ", [](auto& item) { return item.first + std::to_string(item.second); }),
            "a1 b2");
}

TEST(Join, Alternatives) {
  EXPECT_EQ(join_or(Names{}), "");
  EXPECT_EQ(join_or(Names{"a"}), "a");
  EXPECT_EQ(join_or(Names{"a", "b"}), "a or b");
  EXPECT_EQ(join_or(Names{"a", "b", "c"}), "a, b or c");
  EXPECT_EQ(join_or(std::vector{1, 2, 3}, [](int i) { return i * i; }), "1, 4 or 9");
}

}  // namespace
}  // namespace base
