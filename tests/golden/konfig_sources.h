// The golden cases that load config.py files: argument lists, and pieces of config files.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/temp_folder.h"
#include "flags/config_flag.h"
#include "konfig/value.h"
#include "tests/golden/differences.h"

namespace golden {

class Sources {
 public:
  Sources();

  // A case of the group flag_files: what FILE/ in the argument lists means.
  void write_files(const konfig::Dict& args);

  // A file in the folder; its path.
  std::string write(const std::string& name, const std::string& text) const;

  // These run a case and return what went wrong.
  std::vector<std::string> run_flags(const std::string& name, const konfig::Dict& args,
                                     const konfig::Dict& outputs, Differences& differences);
  std::vector<std::string> run_snippet(const std::string& name, const konfig::Dict& args,
                                       const konfig::Dict& outputs, Differences& differences);

 private:
  konfig::ConfigDict load_or_copy(const flags::ConfigFlag& flag,
                                  const std::vector<std::string>& rest);
  konfig::ConfigDict load(const konfig::Dict& args, std::vector<std::string>& rest,
                          konfig::Dict& record, std::string& stage);

  base::TempFolder folder_{"kauldron-golden."};  // of the files
  std::map<std::string, konfig::ConfigDict> loaded_;
};

}  // namespace golden
