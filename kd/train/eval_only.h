// Evaluation of a finished run: a config that trains nothing.
//
//   static konfig::ConfigDict get_config() {
//     Config<train::Trainer> cfg;
//     cfg.evals["test"] = evals::Evaluator{.run = evals::StandaloneLastCheckpoint{}, .ds = ...};
//     return train::eval_only(cfg, "runs/a");            // or later: --cfg.aux.xid=runs/a
//   }
//
// Model, shapes of the data and parameters are the run's.
#pragma once

#include <string>

#include "kd/train/trainer.h"

namespace kd::train {

// `kd.train.Trainer.eval_only` of the reference, with the fields of `cfg` in place of its own.
// `run` is the folder of the run, kept as aux.xid; "" leaves it open.
konfig::ConfigDict eval_only(const Config<Trainer>& cfg, const std::string& run = "");

}  // namespace kd::train
