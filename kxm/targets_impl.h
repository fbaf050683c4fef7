// From the target of a job to the program that is started.
#pragma once

#include <string>
#include <vector>

#include "kxm/make_plan.h"
#include "kxm/resolved_job_impl.h"

namespace kxm::detail {

// The program and what comes before the arguments: {"/home/me/train.sh"}, {"kd", "train"},
// {"//dir:name"} of a target that is still to be built. A program that is not there is an Error.
std::vector<std::string> program_of(const ResolvedJob& job, const PlanContext& context);

// A file of the user: relative paths, and "//a/b", start at the working directory, else at the
// folder of the --xp= file.
std::string user_file(const std::string& path, const PlanContext& context);

// How many words of the command line are files that it runs: 2 for a script.
std::size_t program_words(const std::vector<std::string>& argv);

}  // namespace kxm::detail
