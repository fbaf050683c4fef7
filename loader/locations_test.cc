#include "loader/locations.h"

#include <gtest/gtest.h>

namespace loader {
namespace {

TEST(Locations, OfTheInnermostNode) {
  set_locations({{"", "c.py:1"}, {"model", "c.py:2"}, {"model.layers[1]", "c.py:3"}});
  const std::string place = location_of("model.layers[0].features");
  EXPECT_EQ(place, "c.py:2");
  EXPECT_EQ(location_of("model.layers[1].features"), "c.py:3");
  EXPECT_EQ(location_of("model.layers[10]"), "c.py:2");
  EXPECT_EQ(location_of("models"), "c.py:1");
  forget_locations("model.layers");
  EXPECT_EQ(location_of("model.layers[1]"), "c.py:2");
  set_locations({});
  EXPECT_EQ(location_of("model"), "");
}

}  // namespace
}  // namespace loader
