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
    if (fs::exists(fs::path(folder) / ".kxm/experiment.json", unknown)) unknown_ = folder;
    ++plan_.xid;
    make_dirs(num_units);
    if (dirs_->xp_dir() != folder) continue;
    old_folder_ = true;  // its name has no number in it
    plan_.xid = context_.xid;
    make_dirs(num_units);
    return;
  }
}

// What is in the folder of a new experiment is its own; any other folder may be somebody's.
void PlanMaker::check_folder(const PlannedUnit& unit, bool given) {
  const bool outside = !unit.dir.empty() && !dirs_->inside(unit.dir);
  if (!given && outside && outside_.empty()) outside_ = unit.dir;
  if (!given && !unit.dir.empty() && (unit.dir + "/").starts_with(dirs_->xp_dir() + "/.kxm/")) {
    throw Error(ErrorKind::value, "unit " + std::to_string(unit.wid) +
                                      ": xp.subdir_format.wu_dirname: " + unit.dir +
                                      " is where the records are; choose another name");
  }
  // A unit that only evaluates may be given the folder of the run.
  const bool shares = given && !trains(unit);
  const std::string owner =
      outside && !shares && context_.owner ? context_.owner(unit.dir) : std::string();
  if (!owner.empty()) {
    throw Error(ErrorKind::value, "unit " + std::to_string(unit.wid) + ": " +
                                      (given ? "cfg.workdir" : "xp.subdir_format.wu_dirname") +
                                      ": " + unit.dir + " is the folder of " + owner +
                                      "; go on with that by `kd resume " + owner +
                                      "`, or choose another folder");
  }
  if (!given && (old_folder_ || (outside && context_.owner))) check_new_folder(unit);
}

void PlanMaker::check_new_folder(const PlannedUnit& unit) const {
  std::error_code unknown;
  if (unit.dir.empty() || !fs::exists(unit.dir, unknown) || fs::is_empty(unit.dir, unknown)) return;
  throw Error(ErrorKind::value, "unit " + std::to_string(unit.wid) + ": " + unit.dir +
                                    " holds the results of an earlier experiment; remove it, or "
                                    "put {xid} into --xp.subdir_format." +
                                    (old_folder_ ? "xp_dirname" : "wu_dirname"));
}

}  // namespace kxm::detail
