// `kd launch --xp=kd_run`: what of the command line goes to the jobs, which are `kd run`.
#pragma once

#include <string>
#include <vector>

#include "cli/run_words.h"
#include "cli/sweep_flags.h"
#include "konfig/config_dict.h"
#include "kxm/plan.h"

namespace cli {

// Takes the flags of `kd run` out of the command line of kd launch. Swept values become texts as
// the flags want them: "(0.9, 0.99)", "True".
RunWords take_launched_run(std::vector<std::string>& args, std::vector<SweptPath>& swept);

// Hands them to the jobs of the experiment. Files are kept, so that later edits change nothing.
void pass_on_run(konfig::ConfigDict& xp, const RunWords& words);

// Parses the flags of every unit: a wrong one is a UsageError that names the unit.
void check_launched_run(const RunWords& words, const kxm::Plan& plan);

}  // namespace cli
