// The experiment of fashion_mnist.yaml in C++: a program whose flags and --cfg_file change it.
#include "kd/engine/run_experiment.h"
#include "kd/problems/model_factory.h"
#include "kd/problems/optimizer_factory.h"
#include "kd/problems/shipped_problems.h"
#include "kd/problems/single_gpu_trainer.h"
#include "kd/problems/tfds_wrapper.h"

using namespace kd::problems;

int main(int argc, char** argv) {
  const OptimizerConfig optimizer{.lr_schedule = LRCosineDecayConfig{.lr = 1e-3},
                                  .lr_schedule_class = "LRCosineDecayFactory",
                                  .optimizer = "adam"};
  const TFDSConfig test{.dataset_name = "fashion_mnist",
                        .split = "test",
                        .input_size = {{28, 28}},
                        .batch_size = 500};
  TFDSConfig train = test;
  train.split = "train";
  train.batch_size = 128;
  train.shuffle = train.repeat = true;
  const ExperimentConfig cfg{
      .trainer = TrainerConfig{.ckpt_dir = "runs/fashion_mnist", .display_loss_every_it = 100},
      .trainer_class = "SingleGPUTrainer",
      .timekeeping = Timekeeping{.nb_epochs = 3, .batch_size = 128, .nb_samples_per_epoch = 60000},
      .timekeeping_class = "Timekeeping",
      .problem = ClassificationConfig{.model = ModelConfig{.model_name = "cnn", .nb_classes = 10},
                                      .model_class = "ModelFactory",
                                      .optimizer = optimizer},
      .problem_class = "ClassificationProblem",
      .train_dataset = train,
      .train_dataset_class = "TFDSWrapper",
      .val_dataset = test,
      .val_dataset_class = "TFDSWrapper",
      .logging_level = 20};
  return run(cfg, argc, argv);
}
