// The folders of an experiment and its units.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "kxm/subdir_format.h"

namespace kxm::detail {

// Each part is formatted once. Two units never get one folder: the second one's name ends in its
// number. What is not asked for may be wrong: xp.root_dir may be missing.
class Dirs {
 public:
  Dirs(std::optional<std::string> root_dir, konfig::Poly<DirFormat> format, DirContext context);

  void set_taken(const std::vector<std::string>& dirs);
  void set_base(std::string folder) { base_ = std::move(folder); }  // of relative paths

  // That of an experiment that is there.
  void set_xp_dir(std::string dir) { xp_dir_ = std::move(dir); }

  const std::string& xp_dir();
  // A folder that a unit names itself; false if another unit has it.
  bool take(const std::string& dir) { return taken_.insert(dir).second; }
  // To be asked once for each unit, in order.
  std::string wu_dir(int wid, const konfig::Dict& sweep_kwargs);
  bool used() const { return xp_dir_.has_value(); }
  // Whether a folder is in that of the experiment.
  bool inside(const std::string& dir) const;

 private:
  std::string placed(const std::string& dir) const;  // with a base an absolute, plain path

  std::optional<std::string> root_dir_;
  konfig::Poly<DirFormat> format_;
  konfig::Value wu_dirname_;
  DirContext context_;
  std::string base_ = "";
  std::optional<std::string> xp_dir_ = {};
  std::unordered_set<std::string> taken_ = {};
};

// Without "..", "." and a slash at its end.
std::string plain_path(const std::string& path);

// Names longer than file systems take are cut; what is cut away stays as a hash.
std::string fitting_path(const std::string& path);

}  // namespace kxm::detail
