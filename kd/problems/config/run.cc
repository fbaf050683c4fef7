// Experiments between their flags and their training.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "kd/problems/lower_impl.h"
#include "kd/problems/run.h"
#include "kd/writers/wandb_id.h"
#include "tfimm/train/formats.h"
#include "tfimm/train/registry.h"

namespace kd::problems {
namespace {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

constexpr const char* kFolder = "ckpt_dir";

Dict fields_of(const Any& cfg) {
  const Value value = cfg.value();
  return value.is_none() ? Dict() : tfimm::train::fields_of(value);
}

// A place in a trainer, and what is there in an experiment. The longest that fits counts.
struct Place {
  std::string_view lowered, own;
};
constexpr std::array kPlaces = {Place{"train_ds.name", "train_dataset.dataset_name"},
                                Place{"train_ds", "train_dataset"},
                                Place{"evals.val.ds.name", "val_dataset.dataset_name"},
                                Place{"evals.val.ds", "val_dataset"},
                                Place{"evals.val", "val_dataset"},
                                Place{"init_transform.trainer", "trainer"},
                                Place{"init_transform.problem", "problem"},
                                Place{"workdir", "trainer.ckpt_dir"},
                                Place{"epochs", "timekeeping"},
                                Place{"model", "problem.model"},
                                Place{"schedules.lr", "problem.optimizer.lr_schedule"},
                                Place{"optimizer", "problem.optimizer"}};

// Losses and metrics come from the problem, and no flag is about one of them:
// "train_losses.ce_loss.CrossEntropy.labels" becomes "problem: ce_loss: labels".
std::optional<Error> in_problem(const Error& error) {
  const std::string& path = error.path();
  for (const std::string_view map : {"train_losses.", "train_metrics.", "evals.val.metrics."}) {
    if (!path.starts_with(map)) continue;
    const std::string name = path.substr(map.size(), path.find('.', map.size()) - map.size());
    const std::string last = path.substr(path.rfind('.') + 1);
    return Error(error.kind(), "problem",
                 name + ": " + (last == name ? "" : last + ": ") + error.message());
  }
  return std::nullopt;
}

// A default chooses a class that the problem cannot do without.
bool needs_class(const tfimm::train::ConfigClass& cls, const tfimm::train::Field& x) {
  constexpr std::array kProblems = {"ClassificationConfig", "DistillationConfig"};
  return x.name == "optimizer" && std::ranges::find(kProblems, cls.name) != kProblems.end();
}

// `cfg` is what is at `place`; the outermost place is "".
void check_classes_in(const Value& cfg, const std::string& place) {
  const auto cls = tfimm::train::class_of(cfg);
  if (!cls) return;
  const Dict fields = tfimm::train::fields_of(cfg);
  for (const tfimm::train::Field& field : cls->fields) {
    const Value* value = fields.find(field.name);
    if (!value) continue;
    check_classes_in(*value, konfig::join_path(place, field.name));
    const auto* x = cls->chosen_by(field);
    if (!x) continue;
    const std::string& name = value->as<std::string>();
    const auto usual = tfimm::train::class_names(x->name);
    const bool may_be_empty = field.default_value.has_value() && !needs_class(*cls, *x);
    if (name.empty() ? may_be_empty : std::ranges::find(usual, name) != usual.end()) continue;
    within(konfig::join_path(place, field.name).c_str(),
           [&] { return require_class(name, x->name), 0; });
  }
}

}  // namespace

void check_classes(const ExperimentConfig& cfg) {
  check_classes_in(tfimm::train::to_object(cfg), "");
}

std::string ckpt_dir_of(const ExperimentConfig& cfg) {
  const Dict fields = fields_of(cfg.trainer);
  const Value* folder = fields.find(kFolder);
  return folder && folder->is<std::string>() ? folder->as<std::string>() : "";
}

Value batch_size_of(const Any& dataset) {
  const Dict fields = fields_of(dataset);
  const Value* found = fields.find("batch_size");
  return found && found->is<std::int64_t>() ? *found : Value();
}

Error in_experiment(const Error& error) {
  if (auto found = in_problem(error)) return *found;
  const std::string& path = error.path();
  if (path == "epochs.steps_per_epoch") {
    return Error(error.kind(), "timekeeping.nb_samples_per_epoch",
                 "-1 ends an epoch with the data, but train_dataset repeats them; give the number "
                 "of samples, or --train_dataset.repeat=no");
  }
  for (const Place& place : kPlaces) {
    if (!path.starts_with(place.lowered)) continue;
    const std::string rest = path.substr(place.lowered.size());
    if (!rest.empty() && rest.front() != '.') continue;
    return Error(error.kind(), std::string(place.own) + rest, error.message());
  }
  return error;
}

bool is_wrong_flag(const Error& error) {
  const auto flags = {"train_dataset.dataset_name", "train_dataset.split",
                      "val_dataset.dataset_name", "val_dataset.split",
                      "timekeeping.nb_samples_per_epoch"};
  return std::ranges::find(flags, error.path()) != flags.end();
}

std::string text_of(const Error& error) {
  return error.path().empty() ? error.message() : error.path() + ": " + error.message();
}

std::string stopped_text(std::int64_t steps, bool saved) {
  return "stopped after " + std::to_string(steps) + (steps == 1 ? " step" : " steps") + "; " +
         (saved ? "the same command resumes the run"
                : "not saved: give --trainer.ckpt_dir=DIR to keep checkpoints");
}

ExperimentConfig in_folder_of_run(ExperimentConfig cfg) {
  const char* sweep = std::getenv("WANDB_SWEEP_ID");
  const bool is_swept = sweep && *sweep;
  const std::string folder = ckpt_dir_of(cfg);
  const std::string id = cfg.log_wandb || is_swept ? writers::agents_run_id() : "";
  if (folder.empty() || !is_swept) return cfg;
  if (id.empty()) {
    throw Error(ErrorKind::value,
                "WANDB_SWEEP_ID is set and WANDB_RUN_ID is not, so that the runs of the "
                "sweep would share " +
                    folder + "; start them with `wandb agent`, which sets both");
  }
  Dict fields = fields_of(cfg.trainer);
  fields.set(kFolder, folder + (folder.ends_with('/') ? "" : "/") + id);
  cfg.trainer = Any::from_value(
      tfimm::train::make_object(tfimm::train::get_cfg_class(cfg.trainer_class), fields));
  return cfg;
}

}  // namespace kd::problems
