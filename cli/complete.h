// Candidates for the word being typed: the hidden command `kd __complete WORDS...`.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"

namespace cli {

struct Candidate {
  std::string word;  // the whole word; one that ends in '=', '.' or '/' goes on
  std::string note = "";
};

// `words` are those after the program's name; the last is being typed and may be "".
std::vector<Candidate> complete(const CLI::App& app, std::vector<std::string> words);

// One candidate a line, the note after a tab.
int print_candidates(const CLI::App& app, std::vector<std::string> words);

}  // namespace cli
