// What the value of an option may become while it is typed: completion's building blocks.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace cli {

struct Candidate {
  std::string word;  // the whole value; one that ends in '=', '.' or '/' goes on
  std::string note = "";
};

// A value being typed.
struct Typing {
  std::vector<std::string> before;  // the words before, without the program's name
  std::string value;                // so far
};

// Candidates for a value. Those that do not begin with what was typed are left out afterwards.
using Completer = std::function<std::vector<Candidate>(const Typing&)>;

std::vector<Candidate> config_sources(const Typing& typing);      // as --cfg= takes them
std::vector<Candidate> experiment_sources(const Typing& typing);  // as --xp= takes them
std::vector<Candidate> config_files(const Typing& typing);        // .json and .yaml, and folders
std::vector<Candidate> cc_files(const Typing& typing);            // .cc, and folders
std::vector<Candidate> files(const Typing& typing);               // all
std::vector<Candidate> folders(const Typing& typing);
std::vector<Candidate> registered_types(const Typing& typing);  // "optax.adam"

// Of the config that --cfg= names before; without one, and for one that cannot be read, none.
std::vector<Candidate> config_paths(const Typing& typing);     // "model.encoder"
std::vector<Candidate> config_sweeps(const Typing& typing);    // "lr"
std::vector<Candidate> config_settings(const Typing& typing);  // "seed=1", after --cfg.
std::vector<Candidate> config_switches(const Typing& typing);  // booleans, after --nocfg.

}  // namespace cli
