// SingleGPUTrainer as fields of a trainer.
#include "kd/train/trainer.h"
#include "kd/ckpts/loaders.h"
#include "kd/evals/evaluators.h"
#include "kd/problems/lower_impl.h"
#include "kd/problems/single_gpu_trainer.h"
#include "kd/problems/storage.h"
#include "kd/problems/values_impl.h"
#include "kd/writers/wandb.h"
#include "tfimm/train/formats.h"

namespace kd::problems {

using konfig::ConfigDict;
using konfig::Error;
using konfig::ErrorKind;

namespace {

// "default" is what the reference has for no choice.
std::optional<std::string> chosen(const std::string& name) {
  return name == "default" ? std::nullopt : std::optional(name);
}

Poly<MetricWriter> writer_of(const ExperimentConfig& cfg) {
  if (!cfg.log_wandb) return writers::KDMetricWriter{.console = false};
  return writers::WandbWriter{.project = cfg.project_name,
                              .entity = chosen(cfg.entity),
                              .name = cfg.experiment_name,
                              .config = ConfigDict(tfimm::train::to_dict_format(cfg)),
                              .console = false};
}

void check(const TrainerConfig& cfg) {
  check_count(cfg.validation_every_it, "validation_every_it", "none within an epoch");
  check_count(cfg.ckpt_every_it, "ckpt_every_it", "none within an epoch");
  check_count(cfg.display_loss_every_it, "display_loss_every_it", "only the first of an epoch");
  if (cfg.ckpt_to_keep < 1) {
    throw Error(ErrorKind::value, "ckpt_to_keep",
                "expected a whole number above 0, got " + std::to_string(cfg.ckpt_to_keep));
  }
}

}  // namespace

Poly<RunStrategy> SingleGPUTrainer::validation() const {
  return evals::EveryEpoch{.before_training = cfg.validation_before_training,
                           .every_it = cfg.validation_every_it};
}

void SingleGPUTrainer::lower_into(train::Trainer& trainer, const Experiment& experiment) const {
  check(cfg);
  trainer.log_metrics_every = 1;
  if (!cfg.init_ckpt.empty()) {
    const ModelWeights weights{.path = cfg.init_ckpt, .given_by = "trainer.init_ckpt"};
    if (trainer.init_transform) {
      trainer.init_transform =
          ckpts::MultiTransform{{{"model", trainer.init_transform}, {"init_ckpt", weights}}};
    } else {
      trainer.init_transform = weights;
    }
  }
  if (cfg.ckpt_dir.empty()) {
    if (experiment.cfg.log_wandb) {
      throw Error(ErrorKind::value, "ckpt_dir",
                  "not set, but log_wandb keeps its run there; give a folder");
    }
    trainer.writer = {};
    trainer.exporter = {};
    return;
  }
  trainer.workdir = cfg.ckpt_dir;
  trainer.writer = writer_of(experiment.cfg);
  trainer.checkpointer = EpochCheckpointer{.every_it = cfg.ckpt_every_it,
                                           .max_to_keep = cfg.ckpt_to_keep,
                                           .resume = cfg.resume_from_ckpt};
}

}  // namespace kd::problems
