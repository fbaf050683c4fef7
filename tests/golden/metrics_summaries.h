// The cases of summaries among those of metrics.
#pragma once

#include <vector>

#include "tests/golden/component_case.h"

namespace golden {

std::vector<Mismatch> run_summary(const ComponentCase& c);

}  // namespace golden
