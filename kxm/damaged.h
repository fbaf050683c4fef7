// Experiments of a state that only their damaged records keep out of the database.
#pragma once

#include <string>
#include <vector>

#include "kxm/state.h"

namespace kxm {

// A sentence for each: "experiment 3: FILE: the record is damaged: ...".
std::vector<std::string> damaged_texts(const State& state);

}  // namespace kxm
