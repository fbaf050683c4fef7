// The jobs of an experiment with all their parameters.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "konfig/value.h"
#include "kxm/config_provider.h"
#include "kxm/jobs_provider.h"
#include "kxm/requirements.h"

namespace kxm::detail {

struct ResolvedJob {
  std::string key;      // in the experiment
  konfig::Dict params;  // of a Job: the given ones
  Role role = Role::program;
  std::string verb = {};      // of kd, when no target is given
  std::string cfg_flag = {};  // the argument that is the config: "cfg"; "" when none is
  Requirements requirements = {};

  std::string text(const char* field) const;  // "" when it is not there
  bool flag(const char* field, bool otherwise) const;
};

struct JobSources {
  konfig::Dict experiment;                                       // its given parameters
  std::vector<std::pair<std::string, konfig::ConfigDict>> jobs;  // xp.jobs, groups flattened
  const LoadedConfig* config = nullptr;
  std::string config_source = {};  // of a config that is a file: where it is now
  std::string config_name = {};    // and what its kept copy is called
  bool job_wins = false;           // on_conflict="job"
  std::map<std::string, std::string> platforms = {};
};

// The jobs of `jobs`: groups become several, called "group_job".
std::vector<std::pair<std::string, konfig::ConfigDict>> flat_jobs(const konfig::ConfigDict& jobs);

std::vector<ResolvedJob> resolve_jobs(const JobSources& sources, const ProvidedJobs& provided);

}  // namespace kxm::detail
