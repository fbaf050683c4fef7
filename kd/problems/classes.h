// The kinds of classes that an experiment is made of. Each turns its config into components of kd,
// without libtorch. A class of your own derives from its kind and is registered with
// CFG_SERIALIZABLE; a problem that computes derives from ProblemBase instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kd/core/interfaces.h"
#include "kd/problems/experiment.h"
#include "tfimm/train/registry.h"

namespace kd::train {
struct Trainer;  // kd/train/trainer.h
}

namespace kd::problems {

// Batches {"image": (n, h, w, c), "label": (n)}, or others that the problem understands.
class DatasetBase {
 public:
  using cfg_interface = DatasetBase;
  static constexpr std::string_view cfg_role = "dataset";
  virtual ~DatasetBase() = default;
  virtual Poly<Pipeline> pipeline() const = 0;
};

// A model, and the weights it starts from.
struct ModelParts {
  Poly<Module> module;                    // images, as the dataset gives them, to logits
  std::string weights = "";               // .safetensors, a run, or a saved model; empty: none
  std::string weights_field = "";         // of the config, which errors name: "model_path"
  std::vector<std::string> without = {};  // layers that keep their first values
};
class ModelBase {
 public:
  using cfg_interface = ModelBase;
  static constexpr std::string_view cfg_role = "model student teacher";
  virtual ~ModelBase() = default;
  virtual ModelParts model() const = 0;
};

class LRScheduleBase {
 public:
  using cfg_interface = LRScheduleBase;
  static constexpr std::string_view cfg_role = "lr_schedule";
  virtual ~LRScheduleBase() = default;
  virtual Poly<ScheduleFn> schedule(const Timekeeping& time) const = 0;
};

class OptimizerBase {
 public:
  using cfg_interface = OptimizerBase;
  static constexpr std::string_view cfg_role = "optimizer";
  virtual ~OptimizerBase() = default;
  virtual Poly<ScheduleFn> lr_schedule(const Timekeeping& time) const = 0;
  virtual Poly<Optimizer> optimizer(const Poly<ScheduleFn>& lr) const = 0;
};

// What problems and trainers know of the experiment they are part of.
struct Experiment {
  const ExperimentConfig& cfg;
  Timekeeping time;
  Poly<Pipeline> val_ds;         // None: no validation
  Poly<RunStrategy> validation;  // when there is one
};

class ProblemBase;  // kd/problems/engine/problem.h

// A problem made of components: it fills in model, losses, metrics, optimizer, step and evaluators.
class ProblemClass {
 public:
  using cfg_interface = ProblemClass;
  static constexpr std::string_view cfg_role = "problem";
  virtual ~ProblemClass() = default;
  virtual void lower_into(train::Trainer& trainer, const Experiment& experiment) const = 0;
};

// Fills in folder, length, checkpoints and writers, after the problem.
class TrainerBase {
 public:
  using cfg_interface = TrainerBase;
  static constexpr std::string_view cfg_role = "trainer";
  virtual ~TrainerBase() = default;
  virtual Poly<RunStrategy> validation() const = 0;  // when
  virtual void lower_into(train::Trainer& trainer, const Experiment& experiment) const = 0;
};

}  // namespace kd::problems
