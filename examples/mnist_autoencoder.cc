// A small autoencoder: the shortest complete experiment. The data are Fashion-MNIST, which a fresh
// machine has; --cfg=mnist_autoencoder:dataset=mnist takes MNIST.
#include "kd/kd.h"

using namespace kd;

namespace {

struct Args {
  std::string dataset = "fashion_mnist";  // or "mnist"
};

data::py::Tfds make_ds(const Args& args, bool training) {
  return {.name = args.dataset,
          .split = training ? "train" : "test",
          .shuffle = training,
          .num_epochs = training ? std::nullopt : std::optional(1),
          .transforms = {data::Elements{.keep = {"image"}},
                         data::ValueRange{.key = "image", .vrange = {{0, 1}}}},
          .batch_size = 256};
}

}  // namespace

static Config<train::Trainer> get_config(const Args& args) {
  Config<train::Trainer> cfg;
  cfg.seed = 42;
  cfg.train_ds = make_ds(args, /*training=*/true);
  cfg.model = nn::FlatAutoencoder{.inputs = "batch.image",
                                  .encoder = nn::Dense{.features = 128},
                                  .decoder = nn::Dense{.features = 28 * 28}};
  cfg.num_train_steps = 1000;
  cfg.train_losses["recon"] = losses::L2{.preds = "preds.image", .targets = "batch.image"};
  cfg.train_metrics["latent_norm"] = metrics::Norm{.tensor = "interms.encoder.__call__[0]"};
  cfg.train_summaries["gt"] = summaries::ShowImages{.images = "batch.image", .num_images = 5};
  cfg.train_summaries["recon"] = summaries::ShowImages{.images = "preds.image", .num_images = 5};
  cfg.optimizer = optim::Adam{.learning_rate = 0.003};
  cfg.checkpointer = ckpts::Checkpointer{.save_interval_steps = 500};
  cfg.evals["eval"] = evals::Evaluator{
      .run = evals::EveryNSteps{100}, .ds = make_ds(args, /*training=*/false), .metrics = {}};
  return cfg;
}
KONFIG_EXPORT(get_config)
