// The states of the summaries.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kd/metrics/engine/state.h"
#include "kd/summaries/contrib.h"
#include "kd/summaries/images.h"
#include "kd/summaries/values.h"

namespace kd::summaries {

// With `look`, the settings that the value depends on.
struct ShowImagesState {
  struct Look {
    std::optional<std::string> cmap = {};
    bool in_range = false;  // the values are in [0, 1] already
    bool operator==(const Look&) const = default;
  };
  metrics::TruncateField<> images;
  metrics::StaticField<Look> look;
  Tensor compute() const;  // (n, h, w, 1 or 3), in [0, 1]
};

struct ShowBoxesState {
  struct Look {
    int num_colors = 0;
    std::optional<std::string> rearrange = {};
    std::vector<std::pair<std::string, int>> sizes = {};
    bool operator==(const Look&) const = default;
  };
  metrics::TruncateField<> images;
  metrics::TruncateField<> boxes;
  metrics::StaticField<Look> look;
  Tensor compute() const;
};

struct ShowSegmentationsState {
  struct Look {
    std::optional<std::vector<std::array<double, 3>>> palette = {};
    bool entropy = false, hard = false, edges = false;
    double edge_lightness = 1;
    bool operator==(const Look&) const = default;
  };
  metrics::TruncateField<> segmentations;
  metrics::StaticField<Look> look;
  Tensor compute() const;
};

struct ShowDifferenceImagesState {
  struct Look {
    std::string cmap;
    std::optional<std::pair<double, double>> range = {};
    bool operator==(const Look&) const = default;
  };
  metrics::TruncateField<> diff_images;
  metrics::StaticField<Look> look;
  Tensor compute() const;
};

struct HistogramState {
  metrics::ConcatField<> tensor;
  metrics::StaticField<int> num_buckets;
  Tree compute() const;
};

struct PointCloudState {
  metrics::ConcatField<> point_clouds;
  metrics::ConcatField<> point_colors;
  metrics::StaticField<konfig::Value> configs;
  Tree compute() const;
};

struct ShowTextsState {
  metrics::TruncateField<> texts;
  Tree compute() const { return texts.tree(); }
};

namespace contrib {

struct ConfusionMatrixState {
  metrics::ConcatField<> labels;
  metrics::ConcatField<> preds;
  metrics::ConcatField<> sample_weight;
  metrics::StaticField<std::int64_t> num_classes;
  metrics::StaticField<std::optional<Normalize>> normalize;
  metrics::StaticField<int> precision;
  Tree compute() const;  // one text
};

// The first batch counts.
struct PrintState {
  std::string place = {};
  Tree value = {};

  PrintState merge(const PrintState& other) const { return value.is_none() ? other : *this; }
  PrintState finalize() const { return *this; }
  Tree tree() const { return value; }
  PrintState with_tree(const Tree& tree) const { return {.place = place, .value = tree}; }
  Tree compute() const;
};

struct VideosState {
  metrics::TruncateField<> videos;
  Tensor compute() const { return videos.tensor(); }
};

}  // namespace contrib
}  // namespace kd::summaries
