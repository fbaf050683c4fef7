// Evaluates a finished run of mnist_autoencoder on both splits, without training. The model is that
// of the run:
//   kd eval --cfg=mnist_eval_only --cfg.aux.xid=runs/mnist_autoencoder-1 --cfg.workdir=runs/eval
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

static konfig::ConfigDict get_config(const Args& args) {
  Config<train::Trainer> cfg;
  for (std::string split : {"train", "test"}) {
    cfg.evals["eval_" + split] = evals::Evaluator{
        .run = evals::StandaloneLastCheckpoint{},
        .num_batches = 20,
        .ds = make_ds(args, split),
        .losses = {{"recon", losses::L2{.preds = "preds.image", .targets = "batch.image"}}},
        .metrics = {{"ssim", metrics::Ssim{.pred = "preds.image", .target = "batch.image"}}},
        .summaries = {{"recon", summaries::ShowImages{.images = "preds.image"}}}};
  }
  return train::eval_only(cfg, args.run);
}
KONFIG_EXPORT(get_config)
