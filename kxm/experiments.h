// Where experiments come from: --xp=FILE, or one of those that are always there. `kd_base`, also
// called `kd_single`, trains the config of --cfg= in folders below runs/; `kd_run` does so with
// `kd run` and its flags; `single` runs one program, --xp.target=./train.sh.
//
//   std::vector<std::string> args = {"--xp=single", "--xp.target=/bin/true"};
//   konfig::ConfigDict xp = load_experiment(flags::take_config_flag(args, "xp"), args);
#pragma once

#include <string>
#include <vector>

#include "flags/config_flag.h"
#include "konfig/value.h"

namespace kxm {

inline constexpr const char* kDefaultExperiment = "kd_base";
inline constexpr const char* kRunExperiment = "kd_run";

std::vector<std::string> experiment_names();

// The experiment of --xp=... and its overrides. The reference's paths, such as
// kauldron/xm/configs/single.py, mean those that are always there, unless such a file exists.
konfig::ConfigDict load_experiment(flags::ConfigFlag flag, std::vector<std::string>& args);

}  // namespace kxm
