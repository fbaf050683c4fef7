// Where the config of a run came from. Its config.json names types, and those that a config file
// defines itself are known only when that file is loaded, too.
#pragma once

#include <string>

namespace cli {

// What a run keeps as config_source.txt: the whole path of a file.cc, or the name of a config.
// Empty for data and Python files, which define no types.
std::string source_to_keep(const std::string& source);

// Before `source` is loaded: when it is the config.json of a run, loads what config_source.txt
// beside it names.
void load_types_for(const std::string& source);

}  // namespace cli
