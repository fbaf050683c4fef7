// Where the numbers, images and texts of a run are written. What it does is in kd/writers/writer.h.
#pragma once

#include <optional>
#include <string>

#include "kd/interfaces.h"
#include "konfig/inherit.h"

namespace kd {

class MetricWriter;  // where a run's numbers go

}  // namespace kd

namespace kd::train {

// To files in <workdir>/<collection>/, and to the console.
struct KDMetricWriter {
  konfig::Inherit<std::optional<std::string>, "workdir"> workdir = inherit;  // the run's folder
  bool tensorboard = true;  // event files, for TensorBoard: all there is
  bool csv = true;          // metrics.csv: numbers, a row for each step
  bool json_lines = true;   // metrics.jsonl: numbers and texts, a line for each step
  bool console = true;      // a line for each step
};

// Nowhere.
struct NoopWriter {};

}  // namespace kd::train

KONFIG_COMPONENT(kd::MetricWriter, kd::train::KDMetricWriter, "kauldron.kd:train.KDMetricWriter");
KONFIG_COMPONENT(kd::MetricWriter, kd::train::NoopWriter, "kauldron.kd:train.NoopWriter");
