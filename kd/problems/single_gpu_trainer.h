// SingleGPUTrainer: when an experiment is validated and saved, and what it starts from.
#pragma once

#include <string>

#include "kd/problems/classes.h"

namespace kd::problems {

struct TrainerConfig {
  bool validation_before_training = true;  // validates before the first step, too
  int validation_every_it = -1;            // steps between validations in an epoch; -1: none
  std::string ckpt_dir = "";               // where the run is kept; empty: nowhere
  std::string init_ckpt = "";              // a checkpoint, or a run: the model starts from it
  bool resume_from_ckpt = true;            // goes on from the newest checkpoint in ckpt_dir
  int ckpt_every_it = -1;                  // steps between checkpoints in an epoch; -1: none
  int ckpt_to_keep = 3;                    // the newest stay, and one every 12 hours
  int display_loss_every_it = 1000;        // steps between lines with the loss
  bool verbose = true;                     // false: no such lines
};

struct SingleGPUTrainer : TrainerBase {
  using cfg_class = TrainerConfig;
  explicit SingleGPUTrainer(const TrainerConfig& cfg) : cfg(cfg) {}
  Poly<RunStrategy> validation() const override;
  void lower_into(train::Trainer& trainer, const Experiment& experiment) const override;
  TrainerConfig cfg;
};

}  // namespace kd::problems

KONFIG_TYPE(kd::problems::TrainerConfig, "tfimm.train:TrainerConfig");
