// Summaries: what is shown of a run besides numbers. They are metrics whose value is an image, a
// text or a histogram; kd/metrics/engine/metric.h tells how to use and to write them.
#pragma once

// IWYU pragma: begin_exports
#include "kd/summaries/images.h"
#include "kd/summaries/values.h"
// IWYU pragma: end_exports
