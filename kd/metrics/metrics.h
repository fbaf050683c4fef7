// Metrics: what is measured along the way. kd/metrics/engine/metric.h tells how to use and to write
// them.
#pragma once

// IWYU pragma: begin_exports
#include "kd/metrics/classification.h"
#include "kd/metrics/image.h"
#include "kd/metrics/stats.h"
#include "kd/metrics/wrappers.h"
// IWYU pragma: end_exports
