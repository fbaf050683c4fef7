// An experiment: what to launch, how often and where the results go.
//
//   Experiment xp{
//       .jobs = {{"train", Job{.target = "./train.sh", .args = {{"workdir", WU_DIR_PROXY}}}}},
//       .root_dir = "runs",
//       .sweep_info = SimpleSweep{konfig::List{konfig::Dict{{"lr", 0.1}},
//                                              konfig::Dict{{"lr", 0.01}}}},
//   };
//   Plan plan = make_plan(xp);                        // kxm/make_plan.h
//
// Parameters of jobs (platform, args, ...) that are given here apply to all jobs. One that is given
// in both places must be the same, unless on_conflict="job" says that the job's counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "konfig/component.h"
#include "konfig/map.h"
#include "kxm/config_provider.h"
#include "kxm/job.h"
#include "kxm/jobs_provider.h"
#include "kxm/orchestrator.h"
#include "kxm/subdir_format.h"
#include "kxm/sweep_info.h"

namespace kxm {

// Which value counts where the experiment and a job give different ones.
enum class OnConflict {
  error,  // none
  job,    // the job's
};

// What to launch, how often and where the results go.
struct Experiment {
  static constexpr std::string_view konfig_raw_fields[] = {
      "citc_source", "constraints",        "requirements", "args",      "env_vars",
      "files",       "execution_settings", "aux",          "importance"};

  KXM_JOB_PARAMS(KXM_FIELD);
  std::optional<std::string> name =
      {};                   // the title; default: called after the config or the program
  konfig::Value tags = {};  // a list, or "a,b"
  std::optional<std::string> note = {};           // what it is about
  konfig::Map<konfig::Poly<AnyJob>> jobs = {};    // by name
  konfig::Poly<JobsProvider> jobs_provider = {};  // further jobs; KauldronJobs: those of --cfg=
  std::optional<std::string> root_dir = {};       // holds the folders of all experiments
  konfig::Poly<DirFormat> subdir_format = {};     // the names of folders
  konfig::Value sweep = {};                       // which sweeps run: true, "a,b", "*"; false: none
  konfig::Poly<SweepInfo> sweep_info = {};        // the units; default: one
  konfig::Poly<Orchestrator> orchestrator = {};   // the order of jobs; default: all at once
  std::optional<ConfigProvider> cfg_provider = {};  // a config, in place of --cfg=
  konfig::Value importance = {};                    // accepted, not used
  konfig::ConfigDict execution_settings = {};       // accepted, not used
  konfig::Value attribution_urls = {};              // accepted, not used
  std::optional<bool> emoji_tags = {};              // tags in the reference's other style
  std::optional<bool> tensorboard = {};             // runs TensorBoard on the experiment's folder
  std::optional<bool> add_tensorboard_borg = {};    // the same
  std::optional<bool> add_tensorboard_corp = {};    // the same
  konfig::ConfigDict aux = {};                      // anything; not used
  std::optional<int> xid = {};                      // adds units to this experiment

  std::optional<OnConflict> on_conflict = {};  // which value of two counts; default: error
  // units at a time; default: one, or as many as fit if their jobs have requirements
  std::optional<int> max_parallel = {};
  std::optional<int> retries = {};        // of a job that failed; default: none
  std::optional<bool> fail_fast = {};     // stops everything when a job has failed for good
  std::vector<std::string> secrets = {};  // variables passed on by name and never stored

  // Runs it on this machine until all is done, and gives its number, which `kd status` knows. An
  // Error when units failed; the others have finished by then.
  int launch() const;
};

}  // namespace kxm

KONFIG_TYPE(kxm::Experiment, "kauldron.kxm:Experiment");
