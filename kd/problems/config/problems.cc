// The shipped problems as parts of a trainer.
#include <algorithm>

#include "kd/ckpts/loaders.h"
#include "kd/optim/combine.h"
#include "kd/problems/lower_impl.h"
#include "kd/problems/modules.h"
#include "kd/problems/objectives.h"
#include "kd/problems/shipped_problems.h"
#include "kd/problems/steps.h"
#include "kd/problems/storage.h"
#include "kd/problems/tfds_wrapper.h"
#include "kd/problems/validation.h"
#include "kd/problems/values_impl.h"
#include "kd/train/trainer.h"
#include "konfig/error.h"
#include "tfimm/train/formats.h"

namespace kd::problems {

using konfig::Error;
using konfig::ErrorKind;

namespace {

void check(bool mixed_precision, double weight_decay) {
  if (mixed_precision) {
    throw Error(ErrorKind::unsupported, "mixed_precision",
                "not there: on the CPU float16 is slower than float32, and on a GPU experiments "
                "compute in float32, too; set it to false");
  }
  if (!(weight_decay >= 0)) {
    throw Error(ErrorKind::value, "weight_decay",
                "expected a number of 0 or more, got " + konfig::Value(weight_decay).repr());
  }
}

void require_labels(const Any& dataset, const char* name) {
  if (!dataset.holds<TFDSConfig>() || dataset.as<TFDSConfig>().include_label) return;
  throw Error(ErrorKind::value, "",
              std::string("classification needs labels, but ") + name +
                  ".include_label is false; set it to true");
}

ModelParts model_of(const std::string& name, const Any& cfg, const char* field) {
  return within(field, [&] {
    ModelParts parts = make<ModelBase>(name, cfg, "a model")->model();
    if (!parts.module) throw Error(ErrorKind::value, name + "::model() gives no module");
    return parts;
  });
}

// The loop hands images to the keys of a model; a layer without one is for Preprocess.
void require_key(const Poly<kd::Module>& module) {
  const konfig::Type* type = module.type();
  const auto is_key = [](const konfig::Field& field) {
    return field.type().name.find("kontext::Key") != std::string_view::npos;
  };
  if (!type || std::ranges::any_of(type->fields, is_key)) return;
  throw Error(ErrorKind::value, "model",
              std::string(type->name) + " has no key that finds the images; put " +
                  "problems::Preprocess around it, which has one");
}

// The optimizer, and its learning rate as a schedule that is logged.
Poly<Optimizer> add_optimizer(train::Trainer& trainer, const std::string& name, const Any& cfg,
                              const Timekeeping& time) {
  return within("optimizer", [&] {
    const auto factory = make<OptimizerBase>(name, cfg, "an optimizer");
    const Poly<ScheduleFn> lr = factory->lr_schedule(time);
    trainer.schedules["lr"] = lr;
    return factory->optimizer(lr);
  });
}

Poly<InitTransform> weights_of(const ModelParts& parts, const char* field,
                               const std::string& part = "") {
  if (parts.weights.empty()) return {};
  return ModelWeights{.path = parts.weights,
                      .part = part,
                      .without = parts.without,
                      .given_by = konfig::join_path(field, parts.weights_field)};
}

}  // namespace

void ClassificationProblem::lower_into(train::Trainer& trainer,
                                       const Experiment& experiment) const {
  require_labels(experiment.cfg.train_dataset, "train_dataset");
  require_labels(experiment.cfg.val_dataset, "val_dataset");
  check(cfg.mixed_precision, cfg.weight_decay);
  const ModelParts parts = model_of(*cfg.model_class, cfg.model, "model");
  require_key(parts.module);
  trainer.model = parts.module;
  trainer.init_transform = weights_of(parts, "problem.model");
  trainer.train_losses["ce_loss"] = CrossEntropy{.binary = cfg.binary_loss};
  if (cfg.weight_decay > 0) {
    trainer.train_losses["reg_loss"] = SquaredWeights{.factor = cfg.weight_decay};
  }
  trainer.train_metrics["acc"] = ClassAccuracy{.binary = cfg.binary_loss};
  trainer.optimizer = add_optimizer(trainer, cfg.optimizer_class, cfg.optimizer, experiment.time);
  trainer.trainstep = ClassificationStep{};
  if (experiment.val_ds) {
    trainer.evals["val"] = Validation{.run = experiment.validation, .ds = experiment.val_ds};
  }
  trainer.exporter = SaveClassifier{.binary = cfg.binary_loss,
                                    .dtype = dtype_of(cfg.save_input_dtype, "save_input_dtype")};
}

void DistillationProblem::lower_into(train::Trainer& trainer, const Experiment& experiment) const {
  check(cfg.mixed_precision, cfg.weight_decay);
  const ModelParts student = model_of(*cfg.student_class, cfg.student, "student");
  const ModelParts teacher = model_of(*cfg.teacher_class, cfg.teacher, "teacher");
  trainer.model = Distilled{
      .student = student.module, .teacher = teacher.module, .normalize = cfg.normalize_embeddings};
  const auto first = weights_of(student, "problem.student", "student"),
             second = weights_of(teacher, "problem.teacher", "teacher");
  if (first && second) {
    trainer.init_transform = ckpts::MultiTransform{{{"student", first}, {"teacher", second}}};
  } else {
    trainer.init_transform = first ? first : second;
  }
  trainer.train_losses["l2_loss"] = SquaredDistance{};
  if (cfg.weight_decay > 0) {
    trainer.train_losses["reg_loss"] =
        SquaredWeights{.params = "params.student", .factor = cfg.weight_decay, .mean = true};
  }
  trainer.optimizer = optim::PartialUpdates{
      .optimizer = add_optimizer(trainer, cfg.optimizer_class, cfg.optimizer, experiment.time),
      .mask = Mask(konfig::Value(konfig::Dict{{"student", true}, {"teacher", false}}))};
  trainer.trainstep = DistillationStep{};
  const ExperimentConfig& all = experiment.cfg;
  if (experiment.val_ds) {
    trainer.evals["val"] = DatasetValidation{
        .run = experiment.validation,
        .dataset_class = all.val_dataset_class,
        .dataset = konfig::ConfigDict(tfimm::train::to_dict_format(all.val_dataset.value()))};
  }
  trainer.exporter = SaveStudent{};
}

}  // namespace kd::problems
