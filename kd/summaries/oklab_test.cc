#include "kd/summaries/oklab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kd::summaries {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(Oklab, ThereAndBack) {
  for (Rgb rgb : {Rgb{0, 0, 0}, Rgb{1, 1, 1}, Rgb{0.2, 0.5, 0.9}, Rgb{0.01, 0.99, 0.3}}) {
    Rgb back = rgb_from_oklab(oklab_from_rgb(rgb));
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(back[i], rgb[i], 1e-9);
  }
}

TEST(Oklab, White) {
  EXPECT_THAT(oklab_from_rgb({1, 1, 1}),
              ElementsAre(DoubleNear(1, 1e-3), DoubleNear(0, 1e-3), DoubleNear(0, 1e-3)));
}

TEST(Oklab, APaletteStartsWithBlueAndHasNoColourTwice) {
  auto palette = even_palette(7);
  ASSERT_EQ(palette.size(), 7u);
  EXPECT_GT(palette[0][2], palette[0][0]);
  for (std::size_t i = 1; i < 7; ++i) EXPECT_NE(palette[i], palette[0]);
}

}  // namespace
}  // namespace kd::summaries
