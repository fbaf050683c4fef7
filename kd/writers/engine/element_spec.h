// The spec of a batch, as the reference stores it in element_spec.json; and back.
#pragma once

#include <string>
#include <string_view>

#include "kd/core/tree.h"

namespace kd::writers {

std::string element_spec_json(const Tree& spec);
Tree parse_element_spec(std::string_view json);

}  // namespace kd::writers
