// Flags that Kauldron's launcher gives every job and that mean something to JAX or Borg alone.
#pragma once

#include <string>
#include <vector>

namespace cli {

// Takes --jax_log_compiles, --xprof_port=... and the like out of `args`.
std::vector<std::string> take_reference_flags(std::vector<std::string>& args);
// The same, with one remark.
void drop_reference_flags(std::vector<std::string>& args);

}  // namespace cli
