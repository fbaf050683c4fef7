// What has an autoencoder learned? Its encoder is taken from a finished run and stays as it is; a
// linear layer on its code learns the classes:
//   kd train --cfg=mnist_autoencoder
//   kd train --cfg=readout:run=runs/mnist_autoencoder-1
#include "kd/kd.h"

using namespace kd;

namespace {

struct Args {
  std::string run = "runs/mnist_autoencoder-1";  // the folder of the autoencoder's run
  std::string dataset = "fashion_mnist";         // or "mnist"
};

data::py::Tfds make_ds(const Args& args, bool training) {
  return {.name = args.dataset,
          .split = training ? "train" : "test",
          .shuffle = training,
          .num_epochs = training ? std::nullopt : std::optional(1),
          .transforms = {data::Elements{.keep = {"image", "label"}},
                         data::ValueRange{.key = "image", .vrange = {{0, 1}}},
                         data::Rearrange{.key = "label", .pattern = "... -> ... 1"}},
          .batch_size = 256};
}

}  // namespace

static Config<train::Trainer> get_config(const Args& args) {
  Config<train::Trainer> cfg;
  cfg.seed = 42;
  cfg.train_ds = make_ds(args, /*training=*/true);
  cfg.eval_ds = make_ds(args, /*training=*/false);
  cfg.model = nn::ReadoutWrapper{
      .model = nn::FlatAutoencoder{.inputs = "batch.image",
                                   .encoder = nn::Dense{.features = 128},
                                   .decoder = nn::Dense{.features = 28 * 28}},
      .readout_heads = {{"classes", nn::Dense{.features = 10}}},
      .readout_inputs = {{"classes", {{{"inputs", "interms.model.encoder.__call__[0]"}}}}}};
  // The autoencoder's parameters come from its run, the head's from the initializer.
  cfg.init_transform =
      ckpts::PartialKauldronLoader{.workdir = args.run, .new_to_old = {{"params.model", "params"}}};
  cfg.num_train_steps = 1000;
  cfg.train_losses["xentropy"] = losses::SoftmaxCrossEntropyWithIntLabels{
      .logits = "preds.readouts.classes", .labels = "batch.label"};
  cfg.train_metrics["accuracy"] =
      metrics::Accuracy{.labels = "batch.label", .logits = "preds.readouts.classes"};
  // Only the head is trained; for the rest there is no optimizer state either.
  cfg.optimizer = optim::PartialUpdates{.optimizer = optim::Adam{.learning_rate = 3e-3},
                                        .mask = optim::Select{"readout_heads_classes"}};
  cfg.checkpointer = ckpts::Checkpointer{.save_interval_steps = 500};
  cfg.evals["eval"] = evals::Evaluator{.run = evals::EveryNSteps{250}};
  return cfg;
}
KONFIG_EXPORT(get_config)
