// Whole launches of the kxm cases, planned in the reference's dialect.
#pragma once

#include "base/temp_folder.h"
#include "konfig/value.h"

namespace golden {

class Launches {
 public:
  Launches();
  ~Launches();

  // The config files that later cases name.
  void write_files(const konfig::Dict& files) const;
  // {"jobs": ..., "experiment": ...} in the form of the cases.
  konfig::Dict launch(const konfig::Dict& args) const;
  konfig::Dict launch_from_flags(const konfig::Dict& args) const;
  // A sweep of the file kxm_cfg.py.
  konfig::Dict sweep(const std::string& api, const konfig::Dict& args) const;

 private:
  void write_examples() const;
  konfig::Dict cleaned(const konfig::Dict& plan) const;
  base::TempFolder folder_;
  std::string before_;  // the working directory
};

}  // namespace golden
