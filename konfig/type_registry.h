// Which C++ types have a registered name, and which interfaces they implement. Filled by the macros
// of konfig/register.h; types are known by their C++ name, never by address.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "konfig/type.h"

namespace konfig {

// "optax:adam" for kd::optim::Adam; "" when it has none.
std::string qualname_of(const Type& type);
// Like qualname_of; a type without a name is an Error that says what to do.
std::string require_qualname(const Type& type);

bool is_component(std::string_view interface, const Type& type);
// The C++ names of the components of an interface, sorted.
std::vector<std::string> components_of(std::string_view interface);

void register_type_name(std::string_view type_name, std::string qualname);
void register_component(std::string_view interface, std::string_view type_name);

// "my::project::Model" -> "my.project:Model"; without a namespace "__main__:Model".
std::string default_qualname(std::string_view type_name);

}  // namespace konfig
