// A vision transformer that classifies Fashion-MNIST, small enough for two cores.
#include "kd/kd.h"

using namespace kd;

static data::py::Tfds make_ds(bool training) {
  return {.name = "fashion_mnist",
          .split = training ? "train" : "test",
          .shuffle = training,
          .num_epochs = training ? std::nullopt : std::optional(1),
          .transforms = {data::Elements{.keep = {"image", "label"}},
                         data::ValueRange{.key = "image", .vrange = {{-1, 1}}},
                         data::Rearrange{.key = "label", .pattern = "... -> ... 1"}},
          .batch_size = 128};
}

static Config<train::Trainer> get_config() {
  Config<train::Trainer> cfg;
  cfg.seed = 42;
  cfg.train_ds = make_ds(/*training=*/true);
  cfg.eval_ds = make_ds(/*training=*/false);
  cfg.model = nn::Vit{.encoder = nn::VitSpec{.num_heads = 4,
                                             .hidden_size = 48,
                                             .num_layers = 3,
                                             .patch_size = 7,
                                             .image = "batch.image"},
                      .num_classes = 10,
                      .image = "batch.image"};
  cfg.num_train_steps = 3000;
  cfg.train_losses["xentropy"] =
      losses::SoftmaxCrossEntropyWithIntLabels{.logits = "preds.logits", .labels = "batch.label"};
  cfg.train_metrics["accuracy"] =
      metrics::Accuracy{.labels = "batch.label", .logits = "preds.logits"};
  auto lr = node(optim::WarmupCosineDecay{.peak_value = 3e-3, .warmup_steps = 100});
  cfg[lr->decay_steps] = cfg.ref(cfg.num_train_steps);
  cfg.schedules["learning_rate"] = lr;
  cfg.optimizer = optim::AdamW{.learning_rate = lr, .weight_decay = 1e-2};
  cfg.checkpointer = ckpts::Checkpointer{.save_interval_steps = 500, .max_to_keep = 1};
  cfg.evals["eval"] = evals::Evaluator{.run = evals::EveryNSteps{500}};
  return cfg;
}
KONFIG_EXPORT(get_config)
