#include "konfig/enum_name.h"

#include <gtest/gtest.h>

namespace {

enum class Fruit { apple, pear };
enum class Next { stop, continue_ };

TEST(EnumName, NamesAnEnumerator) {
  std::string_view name = konfig::enum_name(Fruit::pear);  // "pear"
  EXPECT_EQ(name, "pear");
  EXPECT_EQ(konfig::enum_name(Next::continue_), "continue");
  EXPECT_EQ(konfig::enum_name(static_cast<Fruit>(7)), "");
}

TEST(EnumName, FindsAnEnumerator) {
  EXPECT_EQ(konfig::enum_named<Fruit>("apple"), Fruit::apple);
  EXPECT_EQ(konfig::enum_named<Next>("continue"), Next::continue_);
  EXPECT_EQ(konfig::enum_named<Fruit>("Apple"), std::nullopt);
}

}  // namespace
