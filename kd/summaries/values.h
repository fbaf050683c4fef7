// Histograms, point clouds and texts to look at.
#pragma once

#include <optional>
#include <string>

#include "kd/core/interfaces.h"
#include "kd/typing/typing_fwd.h"
#include "konfig/value.h"
#include "kontext/keys.h"

namespace kd::summaries {

struct HistogramState;
struct PointCloudState;
struct ShowTextsState;

// All values of a tensor. Its value is a record Histogram(tensor, num_buckets).
struct HistogramSummary {
  Key tensor = Key::required();  // what is counted
  int num_buckets = 30;          // of the histogram
  HistogramState get_state(Array<"*any"> tensor) const;
};

// Points in space. Its value is a record PointCloud(point_clouds, point_colors, configs).
struct ShowPointCloud {
  Key point_clouds = Key::required();             // (n, 3)
  std::optional<Key> point_colors = {};           // (n, 3)
  konfig::Value configs = {};                     // how they are shown; None: small points
  std::optional<std::string> rearrange = {};      // pattern to "n 3"
  std::optional<Map<int>> rearrange_kwargs = {};  // sizes that the pattern needs
  std::optional<int> num_points = {};             // of each batch; None or 0: all
  PointCloudState get_state(Float<"..."> point_clouds,
                            std::optional<Float<"...">> point_colors) const;
};

// The first texts of all batches.
struct ShowTexts {
  Key texts = Key::required();  // a text or several
  int num_texts = 5;            // how many are shown
  ShowTextsState get_state(const kontext::Resolved& texts) const;
};

}  // namespace kd::summaries

KONFIG_COMPONENT(kd::Metric, kd::summaries::HistogramSummary,
                 "kauldron.kd:summaries.HistogramSummary");
KONFIG_COMPONENT(kd::Metric, kd::summaries::ShowPointCloud, "kauldron.kd:summaries.ShowPointCloud");
KONFIG_COMPONENT(kd::Metric, kd::summaries::ShowTexts, "kauldron.kd:summaries.ShowTexts");
