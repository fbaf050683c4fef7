// Evaluates a finished run of mnist_autoencoder on both splits, without training:
//   kd eval --cfg=mnist_eval_only:run=runs/mnist_autoencoder-1 --cfg.workdir=runs/eval
#include "kd/kd.h"

using namespace kd;

namespace {

struct Args {
  std::string run = "runs/mnist_autoencoder-1";  // the folder of the run
  std::string dataset = "fashion_mnist";         // or "mnist"
};

data::py::Tfds make_ds(const Args& args, const std::string& split) {
  return {.name = args.dataset,
          .split = split,
          .shuffle = false,
          .num_epochs = 1,
          .transforms = {data::Elements{.keep = {"image"}},
                         data::ValueRange{.key = "image", .vrange = {{0, 1}}}},
          .batch_size = 256};
}

}  // namespace

static Config<train::Trainer> get_config(const Args& args) {
  Config<train::Trainer> cfg;
  cfg.seed = 42;
  cfg.train_ds = make_ds(args, "train");
  cfg.model = nn::FlatAutoencoder{.inputs = "batch.image",
                                  .encoder = nn::Dense{.features = 128},
                                  .decoder = nn::Dense{.features = 28 * 28}};
  cfg.num_train_steps = 0;
  cfg.stop_after_steps = 0;
  cfg.train_losses["recon"] = losses::L2{.preds = "preds.image", .targets = "batch.image"};
  cfg.train_metrics["ssim"] = metrics::Ssim{.pred = "preds.image", .target = "batch.image"};
  cfg.setup = train::Setup{.eval_only = true};
  cfg.init_transform = ckpts::PartialKauldronLoader{
      .workdir = args.run,
      .new_to_old = {{"step", "step"}, {"params", "params"}, {"collections", "collections"}}};
  for (std::string split : {"train", "test"}) {
    cfg.evals["eval_" + split] = evals::Evaluator{
        .run = evals::StandaloneLastCheckpoint{}, .num_batches = 20, .ds = make_ds(args, split)};
  }
  return cfg;
}
KONFIG_EXPORT(get_config)
