// A small GAN on Fashion-MNIST, with a model of its own and an optimizer for each loss:
//   kd train --cfg=gan
#include <ATen/ops/cat.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>

#include "kd/model.h"
#include "kd/random/sample.h"

using namespace kd;

namespace gan {

// Noise (b, z) to images (b, 28, 28, 1).
struct Generator : nn::Module<Generator> {
  int hidden = 128;
  Tensor call(const Tensor& noise) const {
    Tensor h = nn::relu(nn::named("in", nn::Dense{.features = hidden})(noise));
    h = nn::relu(nn::named("middle", nn::Dense{.features = hidden})(h));
    return nn::sigmoid(nn::named("out", nn::Dense{.features = 28 * 28})(h))
        .reshape({-1, 28, 28, 1});
  }
};

// Images to scores (b, 1): near 1 for real ones.
struct Discriminator : nn::Module<Discriminator> {
  int hidden = 128;
  Tensor call(const Tensor& image) const {
    Tensor h = nn::leaky_relu(nn::named("in", nn::Dense{.features = hidden})(nn::flatten(image)));
    return nn::named("out", nn::Dense{.features = 1})(h);
  }
};

struct Gan : nn::Module<Gan> {
  Poly<kd::Module> generator = Generator{};
  Poly<kd::Module> discriminator = Discriminator{};
  int latent = 16;              // numbers of noise an image
  Key image = Key::required();  // real images

  Tree call(const Tensor& image) const {
    Tensor fake = generator(random::normal(nn::make_rng("default"), {image.size(0), latent}));
    Tensor real_score = discriminator(image), fake_score = discriminator(fake);
    return Tree::dict(
        {{"fake", fake},
         {"scores", at::cat({real_score, fake_score})},
         {"score_targets", at::cat({at::ones_like(real_score), at::zeros_like(fake_score)})},
         {"fake_score", fake_score},
         {"fake_target", at::ones_like(fake_score)}});
  }
};

}  // namespace gan

KD_COMPONENT(kd::Module, gan::Generator);
KD_COMPONENT(kd::Module, gan::Discriminator);
KD_COMPONENT(kd::Module, gan::Gan);

static data::py::Tfds make_ds(bool training) {
  return {.name = "fashion_mnist",
          .split = training ? "train" : "test",
          .shuffle = training,
          .num_epochs = training ? std::nullopt : std::optional(1),
          .transforms = {data::Elements{.keep = {"image"}},
                         data::ValueRange{.key = "image", .vrange = {{0, 1}}}},
          .batch_size = 64};
}

static Config<train::Trainer> get_config() {
  Config<train::Trainer> cfg;
  cfg.seed = 42;
  cfg.train_ds = make_ds(/*training=*/true);
  cfg.eval_ds = make_ds(/*training=*/false);
  cfg.model = gan::Gan{.image = "batch.image"};
  cfg.rng_streams = train::RngStreams{.stream_overwrites = {{.name = "default", .eval = true}}};
  cfg.num_train_steps = 2000;
  cfg.train_losses["discriminator"] =
      losses::L2{.preds = "preds.scores", .targets = "preds.score_targets"};
  cfg.train_losses["generator"] =
      losses::L2{.preds = "preds.fake_score", .targets = "preds.fake_target", .weight = 0.5};
  cfg.train_summaries["fake"] = summaries::ShowImages{.images = "preds.fake", .num_images = 8};
  auto only = [](const char* part) {
    return optim::PartialUpdates{.optimizer = optim::Adam{.learning_rate = 1e-3, .b1 = 0.5},
                                 .mask = optim::Select{part}};
  };
  cfg.optimizer = optim::MultiOptimizer{
      {{"discriminator", only("discriminator")}, {"generator", only("generator")}}};
  cfg.trainstep = train::MultiTrainStep{};
  cfg.checkpointer = ckpts::Checkpointer{.save_interval_steps = 500};
  cfg.evals["eval"] = evals::Evaluator{.run = evals::EveryNSteps{500}, .num_batches = 10};
  return cfg;
}
KONFIG_EXPORT(get_config)
