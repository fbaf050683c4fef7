// The metric of depths that are shown as colours, beside the colour maps; also called
// kd::metrics::contrib::RGBMeanAbsoluteRelativeError.
#pragma once

#include <optional>

#include "kd/core/interfaces.h"
#include "kd/typing/typing_fwd.h"

namespace kd::metrics {
struct AverageState;
}

namespace kd::summaries::contrib {

// Mean of |error| / target of depths from 0 to 8 that are given as colours of the map viridis.
struct RGBMeanAbsoluteRelativeError {
  Key pred = Key::required();    // what the model says
  Key target = Key::required();  // what it should say
  std::optional<Key> mask = {};  // weights of the pixels, last axis 1; all 1 when absent
  double min_val = 1e-3;         // smaller depths count as this
  double max_val = 8.0;          // larger depths count as this
  double epsilon = 1e-6;         // added to the target
  metrics::AverageState get_state(Float<"*b h w 3"> pred, Float<"*b h w 3"> target,
                                  std::optional<Array<"*b h w 1">> mask) const;
};

}  // namespace kd::summaries::contrib

namespace kd::metrics::contrib {
using summaries::contrib::RGBMeanAbsoluteRelativeError;
}  // namespace kd::metrics::contrib

KONFIG_COMPONENT(kd::Metric, kd::summaries::contrib::RGBMeanAbsoluteRelativeError,
                 "kauldron.contrib.metrics:RGBMeanAbsoluteRelativeError",
                 "kauldron.kd:contrib.metrics.RGBMeanAbsoluteRelativeError");
