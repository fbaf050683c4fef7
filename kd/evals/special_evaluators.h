// Evaluators that do more than to run a model over a dataset: few-shot classification, evaluations
// that survive a stop, and models trained for a while on top of the model.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "kd/evals/evaluators.h"
#include "konfig/callable.h"
#include "konfig/config_dict.h"

namespace kd {
class Checkpoints;  // kd/ckpts
}

namespace kd::evals {

// One seed, or several whose accuracies are averaged.
struct Seeds : std::variant<int, std::vector<int>> {
  static constexpr std::string_view konfig_name = "a whole number or a list of them";
  using variant::variant;
  std::vector<int> list() const {
    if (auto* one = std::get_if<int>(this)) return {*one};
    return std::get<std::vector<int>>(*this);
  }
};

// How well a few examples of each class, seen through the model, tell the classes apart: ridge
// regression in closed form on features of the model.
struct FewShotEvaluator {
  std::string name = "eval";            // the key in `evals`
  Poly<RunStrategy> run;                // when and where
  Poly<Pipeline> ds_train;              // the examples are taken from here
  Poly<Pipeline> ds_val;                // the regularization is chosen here
  Poly<Pipeline> ds_test;               // the accuracy is of these
  Required<std::string> metric_prefix;  // "i1k": metrics/i1k-5shot
  Required<int> num_classes;            // labels are 0 to num_classes - 1
  std::vector<int> num_shots = {};      // examples of each class, such as {1, 5, 10}
  Map<std::string> repr_names = {};     // features by name: {"pre_logits": "interms.pre..."}
  std::vector<double> l2_regs = {64, 128, 256, 512, 1024};  // regularizations to choose from
  Required<std::string> label_name;                         // key of the labels: "batch.label"
  std::string selected_repr = "pre_logits";                 // the features of `metrics/`
  std::optional<Seeds> seed = {};                           // None: the trainer's
  bool discard_opt = false;                                 // runs without the optimizer's state
  konfig::Inherit<Poly<MetricWriter>, "writer"> writer = inherit;  // where the values go
  std::unique_ptr<EvaluatorRun> open(const train::Trainer& trainer, const std::string& key) const;
};

// An Evaluator that keeps how far it came: one that was stopped goes on where it was. Steps that
// were evaluated are not evaluated again.
struct CheckpointedEvaluator {
  std::string name = "eval";            // the key in `evals`
  Poly<RunStrategy> run;                // when and where
  Poly<Checkpoints> checkpointer;       // saves every so many batches; in <workdir>/evals/<name>
  std::optional<int> num_batches = {};  // None: the whole dataset
  bool cache = false;                   // must be false
  konfig::Inherit<Poly<Pipeline>, "eval_ds"> ds = inherit;                     // the data
  konfig::Inherit<Map<Poly<Loss>>, "train_losses"> losses = inherit;           // by name
  konfig::Inherit<Map<Poly<Metric>>, "train_metrics"> metrics = inherit;       // by name
  konfig::Inherit<Map<Poly<Summary>>, "train_summaries"> summaries = inherit;  // by name
  konfig::Inherit<Poly<Module>, "model"> model = inherit;                      // what is evaluated
  std::optional<std::string> model_method = {};  // only "__call__" is known
  Poly<InitTransform> init_transform;            // of the state, before each run
  bool discard_opt = false;                      // runs without the optimizer's state
  konfig::Inherit<Poly<MetricWriter>, "writer"> writer = inherit;  // where the values go
  bool log_tqdm_xm = false;  // no effect: there is no XManager
  std::unique_ptr<EvaluatorRun> open(const train::Trainer& trainer, const std::string& key) const;
};

// Trains another model on top of this one for a while, such as a readout head, and evaluates that.
// What it learns is forgotten.
struct TrainEvaluator {
  static constexpr std::string_view konfig_raw_fields[] = {"readout_config", "readout_inputs"};

  std::string name = "eval";                               // the key in `evals`
  Poly<RunStrategy> run;                                   // when and where
  konfig::ConfigDict readout_config = {};                  // a whole trainer
  std::string submodule_to_swap_path = "model.model";      // in it, what becomes the outer model
  std::optional<std::string> subparams_to_swap_path = {};  // where its parameters go; None: there
  // How long it trains: of the step of the outer training, and its own num_train_steps. With
  // "kauldron.kd:contrib.evals.linear_stop_after_steps_schedule_fn" longer the later it is.
  konfig::Callable<std::int64_t(std::int64_t, std::int64_t)> stop_after_steps_schedule_fn =
      "kauldron.kd:contrib.evals.default_stop_after_steps_schedule_fn";
  konfig::ConfigDict overrides = {};       // other fields of the outer model: {"dropout": 0}
  konfig::ConfigDict readout_inputs = {};  // other inputs of the heads of a ReadoutWrapper
  bool discard_opt = false;                // runs without the optimizer's state
  konfig::Inherit<Poly<MetricWriter>, "writer"> writer = inherit;  // where the values go
  std::unique_ptr<EvaluatorRun> open(const train::Trainer& trainer, const std::string& key) const;
};

}  // namespace kd::evals

KONFIG_COMPONENT(kd::Evaluator, kd::evals::FewShotEvaluator, "kauldron.kd:evals.FewShotEvaluator");
KONFIG_COMPONENT(kd::Evaluator, kd::evals::CheckpointedEvaluator,
                 "kauldron.kd:contrib.evals.CheckpointedEvaluator",
                 "kauldron.contrib.evals:CheckpointedEvaluator");
KONFIG_COMPONENT(kd::Evaluator, kd::evals::TrainEvaluator,
                 "kauldron.kd:contrib.evals.TrainEvaluator",
                 "kauldron.contrib.evals:TrainEvaluator");
