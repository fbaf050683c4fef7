// Numbers about the elements of a dataset.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kd/data/engine/dataset.h"

namespace kd::inspect {

struct ElementStats {
  std::string name;             // "image", "camera.pose"
  std::string spec;             // "uint8[256 28 28 1]", of the first batch
  std::int64_t count = 0;       // numbers seen
  std::int64_t not_finite = 0;  // of them NaN or infinite; the others make up the rest
  double min = 0, max = 0, mean = 0, std = 0;
  static constexpr int kBins = 16;
  std::array<std::int64_t, kBins> histogram = {};  // from min to max, evenly
};

struct DataStats {
  std::int64_t batches = 0, records = 0;
  std::vector<ElementStats> elements;
};

// Reads the dataset twice: for the range, then for the histogram. At most `batches` of it.
DataStats data_stats(const data::Dataset& dataset, std::int64_t batches);
// A table for people.
std::string stats_text(const DataStats& stats);

}  // namespace kd::inspect
