// tiny_vit with more of everything: named parts of the optimizer, averaged parameters, metrics of
// gradients and intermediates, an evaluator of the averages and one in a job of its own.
#include "kd/kd.h"

using namespace kd;

namespace {

data::py::Tfds make_ds(bool training) {
  return {.name = "fashion_mnist",
          .split = training ? "train" : "test",
          .shuffle = training,
          .num_epochs = training ? std::nullopt : std::optional(1),
          .transforms = {data::Elements{.keep = {"image", "label"}},
                         data::ValueRange{.key = "image", .vrange = {{-1, 1}}},
                         data::Rearrange{.key = "label", .pattern = "... -> ... 1"}},
          .batch_size = 128};
}

Config<train::Trainer> get_config() {
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
  // Evaluators have no gradients: there it is left out.
  cfg.train_metrics["grad_norm"] = metrics::SkipIfMissing{metrics::TreeReduce{metrics::Norm{
      .tensor = "grads", .axis = std::nullopt, .aggregation_type = metrics::Aggregation::concat}}};
  cfg.train_metrics["param_norm"] =
      metrics::TreeMap{metrics::Norm{.tensor = "params", .axis = std::nullopt}};
  cfg.train_metrics["logits_std"] = metrics::Std{.values = "preds.logits"};

  auto lr = node(optim::WarmupCosineDecay{.peak_value = 3e-3, .warmup_steps = 100});
  cfg[lr->decay_steps] = cfg.ref(cfg.num_train_steps);
  cfg.schedules["learning_rate"] = lr;
  cfg.optimizer = optim::NamedChain{
      {{"clip", optim::ClipByGlobalNorm{1.0}},
       {"adam",
        optim::AdamW{.learning_rate = lr, .weight_decay = 1e-2, .mask = optim::Select{"kernel"}}},
       {"ema", optim::EmaParams{.decay = 0.99}}}};
  cfg.checkpointer = ckpts::Checkpointer{.save_interval_steps = 500, .max_to_keep = 1};
  cfg.evals["eval"] = evals::Evaluator{.run = evals::EveryNSteps{500}};
  cfg.evals["eval_ema"] =
      evals::Evaluator{.run = evals::EveryNSteps{500}, .init_transform = optim::UseEmaParams{}};
  cfg.evals["eval_alone"] = evals::Evaluator{.run = evals::StandaloneEveryCheckpoint{}};
  return cfg;
}

std::vector<konfig::Dict> sweep_lr() {
  return {{{"schedules.learning_rate.peak_value", 1e-3}},
          {{"schedules.learning_rate.peak_value", 3e-3}}};
}

}  // namespace

KONFIG_EXPORT(get_config)
KONFIG_SWEEP(sweep_lr)
