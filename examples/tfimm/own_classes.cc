// A dataset, a model and a trainer of your own, for experiments:
//   kd run --load=own_classes.cc --cfg_file=exp.yaml --problem.model_class=WideModel
#include "kd/kd.h"
#include "kd/problems/modules.h"
#include "kd/problems/single_gpu_trainer.h"

using namespace kd;

// The dataset: a CSV file or any other pipeline of kd.data.
struct ShuffledConfig {
  tfimm::train::Required<std::string> split;  // "train", "test[:90%]"
  int batch_size = 32;                        // images a batch
  int seed = 0;                               // another order for another seed
};
struct ShuffledFashion : problems::DatasetBase {
  using cfg_class = ShuffledConfig;
  explicit ShuffledFashion(const ShuffledConfig& cfg) : cfg(cfg) {}
  Poly<Pipeline> pipeline() const override {
    return data::py::Tfds{.name = "fashion_mnist",
                          .split = *cfg.split,
                          .shuffle = true,
                          .transforms = {data::Elements{.keep = {"image", "label"}}},
                          .batch_size = cfg.batch_size,
                          .seed = cfg.seed};
  }
  ShuffledConfig cfg;
};
CFG_SERIALIZABLE(ShuffledFashion);

// The model: images in, logits out.
struct WideConfig {
  int width = 512;      // units of the hidden layer
  int nb_classes = 10;  // logits
};
struct WideModel : problems::ModelBase {
  using cfg_class = WideConfig;
  explicit WideModel(const WideConfig& cfg) : cfg(cfg) {}
  problems::ModelParts model() const override {
    return {.module = problems::Preprocess{
                .model = problems::Mlp{.nb_classes = cfg.nb_classes, .hidden = {cfg.width}},
                .mean = {72.9},
                .std = {90.0}}};
  }
  WideConfig cfg;
};
CFG_SERIALIZABLE(WideModel);

// The trainer: the shipped one, with a seed.
struct SeededConfig {
  std::string ckpt_dir = "";  // where the run is kept; empty: nowhere
  int seed = 0;               // of the first weights, and of dropout
};
struct SeededTrainer : problems::TrainerBase {
  using cfg_class = SeededConfig;
  explicit SeededTrainer(const SeededConfig& cfg) : cfg(cfg), shipped({.ckpt_dir = cfg.ckpt_dir}) {}
  Poly<RunStrategy> validation() const override { return shipped.validation(); }
  void lower_into(train::Trainer& trainer, const problems::Experiment& experiment) const override {
    shipped.lower_into(trainer, experiment);
    trainer.seed = cfg.seed;
  }
  SeededConfig cfg;
  problems::SingleGPUTrainer shipped;
};
CFG_SERIALIZABLE(SeededTrainer);
