#include "kxm/damaged.h"

#include "kxm/records_impl.h"
#include "kxm/state_impl.h"

namespace kxm {

std::vector<std::string> damaged_texts(const State& state) {
  std::vector<std::string> out;
  for (auto& [xid, home] : homes_in(state.folder())) {
    std::error_code error;
    if (!std::filesystem::exists(home / kHeading, error) || state.experiment(xid)) continue;
    try {
      read_heading(home);
      read_units(home);
    } catch (const std::exception& e) {
      out.push_back("experiment " + std::to_string(xid) + " is left out: " + e.what() +
                    "; put the file back from a backup, then `kd state rebuild`");
    }
  }
  return out;
}

}  // namespace kxm
