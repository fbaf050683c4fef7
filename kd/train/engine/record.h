// What is written of a step or an evaluation.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kd/train/engine/auxiliaries.h"
#include "kd/writers/engine/writer.h"
#include "konfig/value.h"

namespace kd::train {

// Values as they are written, and more numbers beside them.
writers::Record record_of(std::int64_t step, const AuxValues& values,
                          std::vector<std::pair<std::string, double>> more = {});

// {"accuracy": 0.9, "losses": {"total": 0.1}}, for the choice of the best checkpoint.
konfig::Dict metrics_of(const AuxValues& values);

}  // namespace kd::train
