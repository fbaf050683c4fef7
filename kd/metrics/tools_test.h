// What the tests of metrics share.
#pragma once

#include <functional>
#include <string>

#include "kd/metrics/engine/metric.h"
#include "konfig/expect_test.h"

namespace kd::metrics {

inline double number(const Tree& tree) { return tree.tensor().item().toDouble(); }

using konfig::error_of;

// {a, b, c, ...} at the top of a context.
inline double value_of(const Poly<Metric>& metric, const Tree::Items& items) {
  return number(metric(Tree::dict(items)));
}

}  // namespace kd::metrics
