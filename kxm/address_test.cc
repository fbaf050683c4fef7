#include "kxm/address.h"

#include <gtest/gtest.h>

namespace kxm {
namespace {

TEST(Address, ExperimentUnitAndJob) {
  EXPECT_EQ(parse_address("17"), (Address{.xid = 17}));
  EXPECT_EQ(parse_address("17/3"), (Address{.xid = 17, .wid = 3}));
  EXPECT_EQ(parse_address("17/3/train"), (Address{.xid = 17, .wid = 3, .job = "train"}));
  EXPECT_EQ(parse_address("xid:17/3"), (Address{.xid = 17, .wid = 3}));
  EXPECT_EQ(parse_address("17/3/"), (Address{.xid = 17, .wid = 3}));
}

TEST(Address, OtherTextsAreNone) {
  for (const char* text : {"", "runs/a", "17a", "0", "-1", "17//3", "17/a", "17/3/a/b",
                           "xid:", "99999999999", " 17", "+17", "17/0", "/17"}) {
    EXPECT_EQ(parse_address(text), std::nullopt) << text;
  }
}

TEST(Address, ReadsWhatItWrites) {
  for (const char* text : {"1", "17/3", "2147483647/1/eval_train"}) {
    EXPECT_EQ(to_text(*parse_address(text)), text);
  }
}

}  // namespace
}  // namespace kxm
