// The flags of `kd launch` that stand for whole families: --xp.PATH=, --sweep.PATH=.
#pragma once

#include <string>
#include <vector>

#include "cli/completer.h"

namespace cli {

// --xp=single, --xp.retries=, --sweep.seed=, as whole words.
std::vector<Candidate> complete_launch(const Typing& typing);

// What an unknown flag may stand for: "; did you mean --xp.retries?".
std::string meant_at_launch(const std::string& flag, bool has_config);

}  // namespace cli
