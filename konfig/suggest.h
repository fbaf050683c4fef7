// The nearest valid name, for error texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace konfig {

// How alike two texts are, from 0 to 1: twice the matching characters over all characters, where
// matches are found as longest common blocks (Python's difflib ratio).
double similarity(std::string_view a, std::string_view b);

// The most similar of `candidates`, if it is at least `cutoff` alike.
std::optional<std::string> nearest(std::string_view text,
                                   const std::vector<std::string>& candidates,
                                   double cutoff = 0.75);

// "; did you mean 'x'?" or "".
std::string did_you_mean(std::string_view text, const std::vector<std::string>& candidates,
                         double cutoff = 0.6);

}  // namespace konfig
