#include <cstdlib>

#include "kd/problems/run.h"
#include "konfig/error.h"
#include "tfimm/train/formats.h"
#include "tfimm/train/registry.h"

namespace kd::problems {
namespace {

using konfig::Dict;
using konfig::Value;

constexpr const char* kFolder = "ckpt_dir";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Dict fields_of(const ExperimentConfig& cfg) {
  const Value trainer = cfg.trainer.value();
  return trainer.is_none() ? Dict() : tfimm::train::fields_of(trainer);
}

}  // namespace

std::string ckpt_dir_of(const ExperimentConfig& cfg) {
  const Dict fields = fields_of(cfg);
  const Value* folder = fields.find(kFolder);
  return folder && folder->is<std::string>() ? folder->as<std::string>() : "";
}

ExperimentConfig in_folder_of_run(ExperimentConfig cfg) {
  const std::string folder = ckpt_dir_of(cfg);
  if (folder.empty() || variable("WANDB_SWEEP_ID").empty()) return cfg;
  const std::string id = variable("WANDB_RUN_ID");
  if (id.empty()) {
    throw konfig::Error(konfig::ErrorKind::value,
                        "WANDB_SWEEP_ID is set and WANDB_RUN_ID is not, so that the runs of the "
                        "sweep would share " +
                            folder + "; start them with `wandb agent`, which sets both");
  }
  if (id.find('/') != id.npos || id.starts_with('.')) {
    throw konfig::Error(konfig::ErrorKind::value,
                        "WANDB_RUN_ID: expected the name of a folder, got '" + id + "'");
  }
  Dict fields = fields_of(cfg);
  fields.set(kFolder, folder + (folder.ends_with('/') ? "" : "/") + id);
  cfg.trainer = Any::from_value(
      tfimm::train::make_object(tfimm::train::get_cfg_class(cfg.trainer_class), fields));
  return cfg;
}

}  // namespace kd::problems
