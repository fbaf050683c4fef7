// Configs that evaluate a finished run name it in aux.xid and aux.wid.
#pragma once

#include <string>
#include <vector>

namespace kxm::detail {

// Makes --cfg.aux.xid the folder of the run.
void set_run(std::vector<std::string>& argv, const std::string& folder);

}  // namespace kxm::detail
