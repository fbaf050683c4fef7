// A config that uses the new loss and the new transform by their C++ names.
#include "kd/kd.h"

using namespace kd;

static Config<train::Trainer> get_config() {
  Config<train::Trainer> cfg;
  cfg.train_ds = data::py::Tfds{.name = "fashion_mnist",
                                .split = "train",
                                .shuffle = true,
                                .transforms = {data::Elements{.keep = {"image"}},
                                               data::ValueRange{.key = "image", .vrange = {{0, 1}}},
                                               data::Halve{.key = "image"}},
                                .batch_size = 8};
  cfg.model = nn::FlatAutoencoder{.inputs = "batch.image",
                                  .encoder = nn::Dense{.features = 4},
                                  .decoder = nn::Dense{.features = 28 * 28}};
  cfg.num_train_steps = 2;
  cfg.train_losses["recon"] = losses::Cube{.preds = "preds.image", .targets = "batch.image"};
  cfg.optimizer = optim::Adam{.learning_rate = 0.003};
  return cfg;
}
KONFIG_EXPORT(get_config)
