// Folders of a new experiment: none of them is one that an earlier experiment has left.
#include <filesystem>

#include "kxm/plan_maker_impl.h"

namespace kxm::detail {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

// The first number from `xid` on whose folder is not there. Results outlive the records of their
// experiment, and a state may be lost: the next number of a state is not enough.
void PlanMaker::choose_number(int num_units) {
  if (!context_.begins || !xp_->root_dir) return;
  std::error_code unknown;
  while (fs::exists(fs::symlink_status(dirs_->xp_dir(), unknown))) {
    const std::string folder = dirs_->xp_dir();
    ++plan_.xid;
    make_dirs(num_units);
    if (dirs_->xp_dir() != folder) continue;
    old_folder_ = true;  // its name has no number in it
    plan_.xid = context_.xid;
    make_dirs(num_units);
    return;
  }
}

void PlanMaker::check_new_folder(const PlannedUnit& unit) const {
  std::error_code unknown;
  if (!old_folder_ || unit.dir.empty() || !fs::exists(unit.dir, unknown)) return;
  if (fs::is_empty(unit.dir, unknown)) return;
  throw Error(ErrorKind::value, "unit " + std::to_string(unit.wid) + ": " + unit.dir +
                                    " holds the results of an earlier experiment; remove it, or "
                                    "put {xid} into --xp.subdir_format.xp_dirname");
}

}  // namespace kxm::detail
