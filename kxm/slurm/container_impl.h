// Jobs in a container: the command line for whichever runtime a machine has.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kxm/executor.h"

namespace kxm::slurm {

inline constexpr std::string_view kNoRuntime =
    "found neither apptainer nor podman nor docker in PATH; install one of them, or leave "
    "`container` out";

// "apptainer", "podman" or "docker": the first that PATH has.
std::optional<std::string> container_runtime();

// The job's command line inside of its image. It sees its own folders under their names here, and
// the environment of the job.
std::vector<std::string> container_command(const std::string& runtime, const Attempt& attempt);

// The same where set-up lines come first: they may bring a runtime, as `module load apptainer`
// does. A command line that takes the first that PATH has by then.
std::vector<std::string> container_command_after_setup(const Attempt& attempt);

// Of podman and docker, whose containers are not children of the command line and outlive it when
// it is killed: ends what an attempt has left on this machine. Does nothing for others.
void end_containers(const std::string& runtime, const Attempt& attempt);

}  // namespace kxm::slurm
