// RunJobs: the jobs of `kd launch --xp=kd_run`.
//
//   const Experiment xp{.jobs_provider = RunJobs(), .root_dir = "runs"};
#pragma once

#include <string_view>

#include "kxm/jobs_provider.h"

namespace kxm {

inline constexpr const char* kRunFolderFlag = "trainer.ckpt_dir";  // of `kd run`: where it writes
// Kept files called so are C++ that jobs load: they are kept with all that they include, and
// compiled.
inline constexpr std::string_view kLoadedFile = "load/";

// One job, `kd run`: an experiment of registered classes, in the unit's folder. What is swept and
// `args` are its flags.
struct RunJobs {
  ProvidedJobs jobs(const JobsContext& context) const;
};

}  // namespace kxm

KONFIG_COMPONENT(kxm::JobsProvider, kxm::RunJobs, "kauldron.kxm:RunJobs");
