// The autoencoder, evaluated in processes of their own: two evaluators share one, the third has its
// own. `kd train --cfg=mnist_standalone_eval --cfg.workdir=DIR`, and at the same time
// `kd eval --cfg=mnist_standalone_eval --cfg.workdir=DIR --eval_names=eval1,eval2`.
#include "kd/kd.h"

using namespace kd;

static data::py::Tfds make_ds(bool training) {
  return {.name = "fashion_mnist",
          .split = training ? "train" : "test",
          .shuffle = training,
          .num_epochs = training ? std::nullopt : std::optional(1),
          .transforms = {data::Elements{.keep = {"image"}},
                         data::ValueRange{.key = "image", .vrange = {{0, 1}}}},
          .batch_size = 256};
}

static Config<train::Trainer> get_config() {
  Config<train::Trainer> cfg;
  cfg.seed = 42;
  cfg.train_ds = make_ds(/*training=*/true);
  cfg.eval_ds = make_ds(/*training=*/false);
  cfg.model = nn::FlatAutoencoder{.inputs = "batch.image",
                                  .encoder = nn::Dense{.features = 128},
                                  .decoder = nn::Dense{.features = 28 * 28}};
  cfg.num_train_steps = 1000;
  cfg.train_losses["recon"] = losses::L2{.preds = "preds.image", .targets = "batch.image"};
  cfg.train_metrics["ssim"] = metrics::Ssim{.pred = "preds.image", .target = "batch.image"};
  cfg.optimizer = optim::Adam{.learning_rate = 0.003};
  cfg.checkpointer = ckpts::Checkpointer{.save_interval_steps = 100};
  evals::StandaloneEveryCheckpoint shared{.job_group = "eval_along"};
  cfg.evals["eval1"] = evals::Evaluator{.run = shared};
  cfg.evals["eval2"] = evals::Evaluator{.run = shared, .num_batches = 4};
  cfg.evals["eval3"] = evals::Evaluator{.run = evals::StandaloneLastCheckpoint{}};
  return cfg;
}
KONFIG_EXPORT(get_config)
