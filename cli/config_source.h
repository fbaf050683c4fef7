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

// Whether a source is the config.json that a run left in its folder.
bool is_config_of_run(const std::string& source);
// What to do when such a file is damaged; "" for any other source.
std::string advice_if_damaged(const std::string& source);

}  // namespace cli
