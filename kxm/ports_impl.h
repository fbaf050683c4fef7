// Free ports for jobs that listen: "__kxm_port__(NAME)" in their arguments.
#pragma once

#include <string>
#include <vector>

namespace kxm {

// Replaces each by the number of a port that is free now; one name has one port.
void choose_ports(std::vector<std::string>& argv);

}  // namespace kxm
