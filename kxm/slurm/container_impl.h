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
    "a container is asked for, but there is neither apptainer nor podman nor docker; install one "
    "of "
    "them, or leave `container` out";

// "apptainer", "podman" or "docker": the first that PATH has.
std::optional<std::string> container_runtime();

// The job's command line inside of the image. It sees its own folders under their names here, and
// the environment of the job.
std::vector<std::string> container_command(const std::string& runtime, const std::string& image,
                                           const Attempt& attempt, bool gpus);

}  // namespace kxm::slurm
