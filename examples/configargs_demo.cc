// A config with arguments: two parts of a dataset are mixed, and how much of each is an argument.
//   kd train --cfg=configargs_demo:first=0.9      kd config sweep --cfg=configargs_demo
#include "kd/kd.h"

using namespace kd;

namespace {

struct Args {
  double first = 0.7;         // how often the first part has its turn; the second has the rest
  int hidden = 64;            // size of the code
  int num_train_steps = 500;  // length of the run
};

data::py::Tfds part(const std::string& split, bool training) {
  return {.name = "fashion_mnist",
          .split = split,
          .shuffle = training,
          .num_epochs = training ? std::nullopt : std::optional(1),
          .transforms = {data::Elements{.keep = {"image"}},
                         data::ValueRange{.key = "image", .vrange = {{0, 1}}}},
          .batch_size = 256};
}

Config<train::Trainer> get_config(const Args& args) {
  Config<train::Trainer> cfg;
  cfg.seed = 42;
  cfg.train_ds = data::py::Mix{.datasets = {part("train[:50%]", true), part("train[50%:]", true)},
                               .weights = {{args.first, 1 - args.first}},
                               .batch_size = 256};
  cfg.model = nn::FlatAutoencoder{.inputs = "batch.image",
                                  .encoder = nn::Dense{.features = args.hidden},
                                  .decoder = nn::Dense{.features = 28 * 28}};
  cfg.num_train_steps = args.num_train_steps;
  cfg.train_losses["recon"] = losses::L2{.preds = "preds.image", .targets = "batch.image"};
  cfg.optimizer = optim::Adam{.learning_rate = 0.003};
  for (auto& [name, split] :
       {std::pair{"eval_first", "test[:50%]"}, std::pair{"eval_second", "test[50%:]"}}) {
    cfg.evals[name] =
        evals::Evaluator{.run = evals::EveryNSteps{100}, .ds = part(split, /*training=*/false)};
  }
  return cfg;
}

// Sizes of the code, each with both mixtures.
std::vector<konfig::Dict> sweep() {
  std::vector<konfig::Dict> out;
  for (int hidden : {32, 128}) {
    for (double first : {0.5, 0.9}) {
      out.push_back({{"__args__.hidden", hidden}, {"__args__.first", first}});
    }
  }
  return out;
}

}  // namespace

KONFIG_EXPORT(get_config)
KONFIG_SWEEP(sweep)
