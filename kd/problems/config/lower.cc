// From experiments to trainers, and back.
#include <limits>

#include "kd/problems/classes.h"
#include "kd/problems/lower_impl.h"
#include "kd/problems/run.h"
#include "kd/problems/steps.h"
#include "kd/problems/storage.h"
#include "kd/problems/validation.h"
#include "kd/train/trainer.h"
#include "konfig/error.h"
#include "konfig/json.h"
#include "konfig/konfig.h"
#include "tfimm/train/formats.h"

namespace kd::problems {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

constexpr const char* kOrigin = "experiment";  // below aux: what a trainer was lowered from

// The length in epochs. Samples are counted in whole batches, so the last one may be too many.
train::Epochs epochs_of(const Timekeeping& time) {
  if (*time.nb_epochs < 0) {
    throw Error(ErrorKind::value, "timekeeping.nb_epochs",
                "expected a whole number of 0 or more, got " + std::to_string(*time.nb_epochs));
  }
  train::Epochs out{.num_epochs = *time.nb_epochs};
  if (time.nb_samples_per_epoch < 0) return out;
  if (*time.batch_size < 1) {
    throw Error(ErrorKind::value, "timekeeping.batch_size",
                "expected a whole number above 0, got " + std::to_string(*time.batch_size));
  }
  const std::int64_t samples = time.nb_samples_per_epoch, size = *time.batch_size;
  const std::int64_t steps = samples / size + (samples % size > 0);
  if (steps > std::numeric_limits<int>::max()) {
    throw Error(ErrorKind::value, "timekeeping.nb_samples_per_epoch",
                "an epoch would have " + std::to_string(steps) + " steps, and may have " +
                    std::to_string(std::numeric_limits<int>::max()) + "; give more epochs");
  }
  out.steps_per_epoch = static_cast<int>(steps);
  return out;
}

Timekeeping timekeeping_of(const ExperimentConfig& cfg) {
  try {
    return cfg.timekeeping.as<Timekeeping>();
  } catch (const Error& e) {
    throw e.within("timekeeping");
  }
}

Poly<Pipeline> pipeline_of(const char* field, const std::string& name, const Any& cfg) {
  return within(field, [&] { return make<DatasetBase>(name, cfg, "a dataset")->pipeline(); });
}

// A problem that computes is a step of the loop.
void lower_own_problem(train::Trainer& trainer, const Experiment& experiment) {
  const ExperimentConfig& cfg = experiment.cfg;
  const ConfigDict problem(tfimm::train::to_dict_format(cfg.problem.value()));
  const ConfigDict time(tfimm::train::to_dict_format(cfg.timekeeping.value()));
  trainer.trainstep =
      ProblemStep{.problem_class = *cfg.problem_class, .problem = problem, .timekeeping = time};
  trainer.exporter =
      SaveProblem{.problem_class = *cfg.problem_class, .problem = problem, .timekeeping = time};
  if (experiment.val_ds) {
    trainer.evals["val"] = ProblemValidation{.run = experiment.validation, .ds = experiment.val_ds};
  }
}

// Without a difference that only JSON makes: tuples are lists there.
Value as_json(const ConfigDict& config) { return konfig::parse_json(konfig::to_json(config)); }

// The first place where two values differ; "": they are equal.
std::string difference(const Value& a, const Value& b, const std::string& place) {
  auto *x = a.get_if<Dict>(), *y = b.get_if<Dict>();
  if (!x || !y) return a == b ? "" : place;
  for (const Dict* keys : {x, y}) {
    for (auto& [key, value] : *keys) {
      const Value *left = x->find(key), *right = y->find(key);
      std::string inner = konfig::join_path(place, key.as<std::string>());
      if (!left || !right) return inner;
      std::string found = difference(*left, *right, inner);
      if (!found.empty()) return found;
    }
  }
  return "";
}

}  // namespace

ConfigDict lower(const ExperimentConfig& cfg) {
  check_classes(cfg);
  Config<train::Trainer> trainer;
  const auto how = make<TrainerBase>(*cfg.trainer_class, cfg.trainer, "a trainer", "trainer");
  Experiment experiment{cfg, timekeeping_of(cfg), {}, how->validation()};
  trainer.epochs = epochs_of(experiment.time);
  trainer.train_ds = pipeline_of("train_dataset", *cfg.train_dataset_class, cfg.train_dataset);
  if (!cfg.val_dataset_class.empty()) {
    experiment.val_ds = pipeline_of("val_dataset", cfg.val_dataset_class, cfg.val_dataset);
  }
  const auto* entry = tfimm::train::find_entry(*cfg.problem_class);
  if (entry && entry->interface == konfig::type_name<ProblemBase>) {
    lower_own_problem(trainer, experiment);
  } else {
    const auto problem =
        make<ProblemClass>(*cfg.problem_class, cfg.problem, "a problem", "problem");
    within("problem", [&] { return problem->lower_into(trainer, experiment), 0; });
  }
  within("trainer", [&] { return how->lower_into(trainer, experiment), 0; });
  trainer.aux[kOrigin] = ConfigDict(tfimm::train::to_dict_format(cfg));
  return konfig::lower(trainer);
}

ExperimentConfig experiment_of(const ConfigDict& config) {
  const Value aux = config.contains("aux") ? config.get("aux") : Value();
  auto* origin = aux.get_if<ConfigDict>();
  if (!origin || !origin->contains(kOrigin)) {
    throw Error(ErrorKind::value, "aux.experiment",
                "the config was not lowered from an experiment, and cannot become one");
  }
  const Dict fields = origin->get(kOrigin).as<ConfigDict>().to_dict();
  const auto cls = tfimm::train::describe<ExperimentConfig>();
  auto out = tfimm::train::from_dict<ExperimentConfig>(
      tfimm::train::to_cls_format(tfimm::train::check_format(fields), *cls));
  const std::string changed = difference(as_json(lower(out)), as_json(config), "");
  if (!changed.empty()) {
    throw Error(ErrorKind::value, changed,
                "it was changed after the experiment was lowered, and the experiment does not say "
                "so; change the experiment, and lower it again");
  }
  return out;
}

}  // namespace kd::problems
