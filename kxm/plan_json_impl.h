// Plans as JSON, for the records beside the results.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kxm/plan.h"

namespace kxm {

std::string heading_json(const Plan& plan, std::string_view executor, std::string_view host,
                         double created);  // without the units
struct Heading {
  Plan plan;
  std::string executor, host;
  double created = 0;
};
Heading heading_from_json(std::string_view text);

std::string units_json(std::span<const PlannedUnit> units);
std::vector<PlannedUnit> units_from_json(std::string_view text);

std::string_view role_text(Role role);  // "train"
Role role_of(std::string_view text);

}  // namespace kxm
