// Where an experiment runs: what kd launch makes of --on= and xp.executor.
#pragma once

#include <string>

#include "konfig/config_dict.h"
#include "kxm/settings.h"

namespace cli {

inline constexpr const char* kLocal = "local";
inline constexpr const char* kSlurm = "slurm";
inline constexpr const char* kOwn = "own";  // an executor of the experiment

// What `on` says, else what the experiment says; units that are added run where the others do, and
// what nothing is said of on Slurm, if it is set up here. `config`: that of --cfg=; nullptr: none.
std::string place_of(std::string on, const konfig::ConfigDict& xp,
                     const konfig::ConfigDict* config);

// For people.
std::string place_text(const std::string& place);

// This machine in place of an executor of the experiment.
void use_local(konfig::ConfigDict& xp);
// Slurm as an executor of the experiment, with what the settings say of the cluster.
void use_slurm(konfig::ConfigDict& xp, const kxm::Settings& settings);

}  // namespace cli
