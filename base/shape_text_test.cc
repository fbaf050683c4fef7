#include "base/shape_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace base {
namespace {

using Shape = std::vector<std::int64_t>;

TEST(ShapeText, Sizes) {
  EXPECT_EQ(shape_text(Shape{}), "()");
  EXPECT_EQ(shape_text(Shape{3}), "(3)");
  EXPECT_EQ(shape_text(Shape{2, 3, 0}), "(2, 3, 0)");
}

TEST(ShapeText, AsPythonPrintsATuple) {
  EXPECT_EQ(tuple_text(Shape{}), "()");
  EXPECT_EQ(tuple_text(Shape{3}), "(3,)");
  EXPECT_EQ(tuple_text(Shape{2, 3}), "(2, 3)");
  EXPECT_EQ(tuple_text(Shape{1}, [](auto n) { return n + 1; }), "(2,)");
}

}  // namespace
}  // namespace base
