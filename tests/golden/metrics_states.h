// The states of the golden test of metrics: those that its cases build by hand.
#pragma once

#include "tests/golden/component_case.h"

namespace golden {

// The groups `average` and `state`, and the errors of states.
std::vector<Mismatch> run_average(const ComponentCase& c);
std::vector<Mismatch> run_states(const ComponentCase& c);
std::vector<Mismatch> run_state_error(const ComponentCase& c);
// MeanCov.from_samples
std::vector<Mismatch> run_mean_cov(const ComponentCase& c);

}  // namespace golden
