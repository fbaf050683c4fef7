// Fuzz target: any text as a split.
#include "kd/data/sources/splits.h"

#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  const std::vector<kd::data::SplitInfo> known = {{"train", {60, 43}}, {"test", {7}}};
  fuzz::only_errors([&] {
    for (auto& range : kd::data::split_ranges(text, known)) {
      const bool inside =
          range.begin >= 0 && range.begin <= range.end && range.end <= known.at(range.split).size();
      fuzz::require(inside, "a range outside of its split", text, "");
    }
  });
  return 0;
}
