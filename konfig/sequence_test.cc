#include "konfig/sequence.h"

#include <gtest/gtest.h>

namespace konfig {
namespace {

TEST(Sequence, OfListsAndTuples) {
  for (const Value& value : {Value(List{1, 2}), Value(Tuple{1, 2})}) {
    std::int64_t sum = 0;
    auto print = [&](const Value& item) { sum += item.as<std::int64_t>(); };
    if (const Sequence* items = as_sequence(value)) {
      for (const Value& item : *items) print(item);
    }
    EXPECT_EQ(sum, 3);
  }
}

TEST(Sequence, OfNothingElse) {
  EXPECT_EQ(as_sequence(Value("text")), nullptr);
  EXPECT_EQ(as_sequence(Value(Dict{{"a", 1}})), nullptr);
  EXPECT_EQ(as_sequence(Value()), nullptr);
}

}  // namespace
}  // namespace konfig
