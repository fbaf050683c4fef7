// Golden test of training: every run of $KD_GOLDEN/train (by default the copy in this folder) is
// trained again and compared. Arguments: only cases whose name starts with one of them.
#include "tests/golden/train_record.h"

#include "base/file.h"

namespace golden {
namespace {

using konfig::Dict;
using konfig::Value;

Tolerance bound(const Dict& tolerance, const char* name) {
  const Value* own = tolerance.find(name);
  return tolerance_of(own ? *own : Value(tolerance));
}

// What neither kind of run compares. States are named by their step.
Problems unknown(const Dict& outputs) {
  Dict others;
  for (auto& [name, value] : outputs) {
    if (!name.as<std::string>().starts_with("checksums_before_step_")) others.set(name, value);
  }
  return unknown_outputs(others, {"order",
                                  "train",
                                  "evals",
                                  "final_step",
                                  "phases",
                                  "number_of_updates",
                                  "perf_stats_keys",
                                  "workdir_files",
                                  "element_spec_json",
                                  "timer_json_keys",
                                  "ds_iter_files",
                                  "train_state_fields",
                                  "opt_state_is_null_at_return",
                                  "state_tree",
                                  "init_rngs",
                                  "train_rngs",
                                  "eval_rngs_of_batch_0_1",
                                  "texts",
                                  "images",
                                  "aux_of_last_step",
                                  "batch_indices",
                                  "opt_state_at_end",
                                  "returned_keys",
                                  "workdir_files_train",
                                  "workdir_files_eval_only"});
}

Problems run(const Dict& whole, Differences& differences) {
  static const Tensors tensors = load_tensors("train");
  const Dict& args = whole.at("args").as<Dict>();
  const Dict& tolerance = whole.at("tolerance").as<Dict>();
  Tolerance params = bound(tolerance, "params");
  if (!tolerance.find("params")) params = {.atol = 2e-5, .rtol = 1e-4};
  const TrainCase c{.name = whole.at("name").as<std::string>(),
                    .args = args,
                    .outputs = whole.at("outputs").as<Dict>(),
                    .tensor_names = whole.at("tensors").as<Dict>(),
                    .values = bound(tolerance, "losses_and_metrics"),
                    .params = params,
                    .tensors = tensors,
                    .config_text = base::read_file(golden_folder() + "/train/" +
                                                   args.at("config").as<std::string>()),
                    .differences = differences};
  const bool trains = whole.at("api").as<std::string>() == "kd.train.Trainer.train";
  Problems problems = trains ? run_training(c) : run_eval_only(c);
  for (auto& problem : unknown(c.outputs)) problems.push_back(problem);
  return problems;
}

}  // namespace
}  // namespace golden

int main(int argc, char** argv) {
  return golden::walk("train", {argv + 1, argv + argc}, golden::run);
}
