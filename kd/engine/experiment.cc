// Runs of experiments: the trainer that an experiment lowers to, with its config.yaml beside it.
#include <filesystem>

#include "base/temp_folder.h"
#include "kd/engine/jobs_impl.h"
#include "kd/problems/experiment.h"
#include "tfimm/train/dump_config.h"

namespace kd::engine {

namespace fs = std::filesystem;
using konfig::ConfigDict;

namespace {

// The folder that a trainer writes to; "": none.
std::string workdir_of(const ConfigDict& config) {
  if (!config.contains("workdir")) return "";
  const konfig::Value value = config.get("workdir");
  return value.is<std::string>() ? value.as<std::string>() : "";
}

}  // namespace

JobResult experiment_job(const ExperimentJob& job) {
  Job lowered{.config = problems::lower(job.config), .stop_signal = job.stop_signal};
  const std::string folder = workdir_of(lowered.config);
  if (!folder.empty()) {
    tfimm::train::dump_config(job.config, fs::path(folder) / "config.yaml");
    return train_job(lowered);
  }
  // Nothing is to be kept, but a run has its place.
  const base::TempFolder nowhere("kd_run_");
  lowered.config["workdir"] = nowhere.path().string();
  return train_job(lowered);
}

}  // namespace kd::engine
