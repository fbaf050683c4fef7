// The data of the colour maps, for colormap.cc.
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace kd::summaries::detail {

struct PackedMap {
  std::string_view name;
  std::string_view data;
};
const std::vector<PackedMap>& packed_maps();  // colormap_data.cc

// A colour at a place from 0 to 1; between two it changes evenly.
struct Knot {
  double at, level;
};
struct KnottedMap {
  std::string_view name;
  std::array<std::vector<Knot>, 3> channels;  // red, green, blue
};
const std::vector<KnottedMap>& knotted_maps();  // colormap_knots.cc

}  // namespace kd::summaries::detail
