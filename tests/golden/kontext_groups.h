// The groups of kontext cases: each runs ours on the arguments and compares with the outputs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "konfig/error.h"
#include "konfig/value.h"
#include "tests/golden/walk.h"

namespace golden {

std::vector<Mismatch> run_case(const std::string& group, const konfig::Dict& args,
                               const konfig::Dict& outputs);

// ---- For the groups.

// Runs `ours` and compares its result with `expected`, which may be {error, message}.
// `topic` names a difference that the group knows about, given both results.
using Topic = std::function<std::string(const konfig::Value& expected, const konfig::Value& ours)>;
void compare(std::vector<Mismatch>& mismatches, const std::string& output,
             const konfig::Value& expected, const std::function<konfig::Value()>& ours,
             const Topic& topic = {});

// "" when our error is of the kind the reference's is, and names what it names.
std::string kontext_error_mismatch(const konfig::Dict& expected, const konfig::Error& ours);

std::vector<Mismatch> run_keys(const konfig::Dict& args, const konfig::Dict& outputs);

}  // namespace golden
