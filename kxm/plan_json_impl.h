// Plans as JSON, for the records beside the results.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kxm/plan.h"

namespace kxm {

// What an experiment is, without its units.
struct Heading {
  Plan plan;
  std::string executor, host;
  double created = 0;
  std::string home = {};  // where its records are; "": unknown, as in those of an earlier version
};
std::string heading_json(const Heading& heading);
Heading heading_from_json(std::string_view text);

std::string units_json(std::span<const PlannedUnit> units);
std::vector<PlannedUnit> units_from_json(std::string_view text);

std::string_view role_text(Role role);  // "train"
Role role_of(std::string_view text);

}  // namespace kxm
