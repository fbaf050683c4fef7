// `kd launch --xp=kd_run`: what of the command line goes to the jobs, which are `kd run`.
#pragma once

#include <map>
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

// Of --sweep.cfg_file: the names by which kept files are known, by key and by value.
using SweptFiles = std::map<std::string, std::map<std::string, std::string>>;
SweptFiles keep_swept(konfig::ConfigDict& xp, const std::vector<SweptPath>& swept);

// The names of flags that every unit gets.
std::vector<std::string> typed_flags(const RunWords& words);

// Hands them to the jobs of the experiment. Files are kept, so that later edits change nothing.
void pass_on_run(konfig::ConfigDict& xp, const RunWords& words);

// Parses the flags of every unit: a wrong one is a UsageError that names the unit.
void check_launched_run(const RunWords& words, const kxm::Plan& plan);

}  // namespace cli
