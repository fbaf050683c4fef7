// What differs between two configs, by meaning: the order of keys does not count, nor whether a
// sequence is a list or a tuple, nor whether an argument is given by position or by name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "konfig/value.h"

namespace cli {

struct Change {
  std::string path;                     // "" is the whole config
  std::optional<konfig::Value> before;  // absent: added
  std::optional<konfig::Value> after;   // absent: removed
  // Of nodes used in several places: where the node was first met, "" when it is a node of its own.
  std::optional<std::string> shared_before, shared_after;
};

// In the order of the first config, then what only the second one has. References count as what
// they lead to.
std::vector<Change> diff(const konfig::Value& before, const konfig::Value& after);

// "seed: 0 -> 1", "tags: added ['a']", "tags: removed ['a']".
std::string to_line(const Change& change);

}  // namespace cli
