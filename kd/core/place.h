// Place: where a run is, for what happens at some of its steps.
#pragma once

#include <cstdint>

namespace kd {

// A run that is not counted in epochs is one epoch.
struct Place {
  std::int64_t step = 0;   // updates so far
  std::int64_t epoch = 0;  // epochs that are over
  std::int64_t it = 0;     // updates in this epoch so far; 0 where one begins, or the run ends
};

// Whether something is due that happens where epochs begin and end, and, within each, after the
// update with a number above 0 that is a multiple of `every`. The first update has number 0; an
// `every` below 1 means never.
constexpr bool is_due_in_epoch(const Place& place, std::int64_t every) {
  return place.it == 0 || (every > 0 && place.it > 1 && (place.it - 1) % every == 0);
}

}  // namespace kd
