// Where the nodes of the config were made that was loaded last, for errors: file and line of a
// config.py or a config in C++.
//
//   location_of("model.layers[0].features");   // "config.py:12", of the Dense around it
#pragma once

#include <string>
#include <string_view>

#include "konfig/value.h"

namespace loader {

// {path: "config.py:12"}. Replaces those of a config before.
void set_locations(const konfig::Dict& locations);
// For a node that an override replaced: it and what is in it were not made there.
void forget_locations(std::string_view path);
// Of the innermost node around a path; "" when it is not known.
std::string location_of(std::string_view path);

}  // namespace loader
