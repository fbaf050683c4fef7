// The experiment:
//   kd train --cfg=config.cc
//   kd train --cfg=config.cc --cfg.model.hidden=128 --cfg.num_train_steps=1000
#include "data.h"
#include "kd/model.h"
#include "loss.h"
#include "model.h"

using namespace kd;

static data::py::DataSource make_ds(bool training) {
  return {.data_source = my_project::Spiral{.seed = training ? 0 : 1},
          .shuffle = training,
          .num_epochs = training ? std::nullopt : std::optional(1),
          .batch_size = 100};
}

static Config<train::Trainer> get_config() {
  Config<train::Trainer> cfg;
  cfg.seed = 42;
  cfg.train_ds = make_ds(/*training=*/true);
  cfg.eval_ds = make_ds(/*training=*/false);
  cfg.model = my_project::Mlp{.inputs = "batch.point"};
  cfg.num_train_steps = 500;
  cfg.train_losses["focal"] = my_project::Focal{.logits = "preds.logits", .labels = "batch.label"};
  cfg.train_metrics["accuracy"] =
      metrics::Accuracy{.labels = "batch.label", .logits = "preds.logits"};
  cfg.optimizer = optim::Adam{.learning_rate = 0.01};
  cfg.checkpointer = ckpts::Checkpointer{.save_interval_steps = 250};
  cfg.evals["eval"] = evals::Evaluator{.run = evals::EveryNSteps{100}};
  return cfg;
}
KONFIG_EXPORT(get_config)
