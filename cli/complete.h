// Candidates for the word being typed: the hidden command `kd __complete WORDS...`.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"

namespace cli {

// `words` are those after the program's name; the last is being typed and may be "".
std::vector<Candidate> complete(const CommandLine& line, std::vector<std::string> words);

// One candidate a line, the note after a tab.
int print_candidates(const CommandLine& line, std::vector<std::string> words);

}  // namespace cli
