// Completion inside a config: paths, values of overrides, sweeps.
#pragma once

#include <string>
#include <vector>

#include "cli/completer.h"
#include "cli/session.h"

namespace cli {

// What may follow in the place of `typed`, which is the word from there on.
std::vector<Candidate> complete_path(Session& session, const std::string& typed);
std::vector<Candidate> complete_override(Session& session, const std::string& typed);  // "seed=1"
std::vector<Candidate> complete_switch(Session& session, const std::string& typed);    // booleans
std::vector<Candidate> complete_sweep(Session& session, const std::string& typed);

}  // namespace cli
