// Programs of the golden cases: steps that build, change, print and resolve configs.
#pragma once

#include <string>
#include <vector>

#include "konfig/value.h"
#include "tests/golden/differences.h"

namespace golden {

// Runs the steps of a case and compares each output. Returns what went wrong, one text a step.
std::vector<std::string> run_program(const std::string& name, const konfig::Dict& args,
                                     const konfig::Dict& outputs, Differences& differences);

}  // namespace golden
