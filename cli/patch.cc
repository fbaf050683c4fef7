#include "cli/patch.h"

#include "konfig/konfig.h"
#include "konfig/register.h"
#include "kontext/set.h"
#include "kontext/tree_konfig.h"

namespace cli {

using konfig::ConfigDict;
using konfig::Value;

namespace {

void set(ConfigDict& cfg, const char* name, const Value& value) {
  const auto guard = cfg.ignore_type();
  cfg.set(name, value);
}

// Wherever this name is already, below a place.
void set_all(ConfigDict& cfg, const char* above, const char* name, std::int64_t value) {
  if (!cfg.get(above, Value()).is<ConfigDict>()) return;
  const auto guard = cfg.ignore_type();
  kontext::set_by_path(cfg, std::string(above) + ".**." + name, value);
}

void patch_evals(const Patch& patch, ConfigDict& cfg) {
  const Value evals = cfg.get("evals", Value());
  if (!evals.is<ConfigDict>()) return;
  for (auto& [key, value] : evals.as<ConfigDict>().items()) {
    if (!value.is<ConfigDict>()) continue;
    ConfigDict evaluator = value.as<ConfigDict>();
    if (patch.eval_run_once) {
      set(evaluator, "run", konfig::call("kauldron.kd:evals.Once", {{"step", 0}}));
    }
    const bool takes_batches = evaluator.qualname() == "kauldron.kd:evals.Evaluator" ||
                               evaluator.qualname().ends_with(".CheckpointedEvaluator");
    if (patch.num_batches && takes_batches) set(evaluator, "num_batches", *patch.num_batches);
  }
  if (patch.num_batches) set_all(cfg, "evals", "num_batches", *patch.num_batches);
  // Trainings inside of evaluations.
  if (patch.stop_after_steps) set_all(cfg, "evals", "num_train_steps", *patch.stop_after_steps);
}

}  // namespace

Patch patch_of(flags::ConfigFlag flag, std::vector<std::string>& args) {
  ConfigDict given = konfig::call("kd.cli:Patch");
  flags::apply_overrides(given, flag, args);
  return *konfig::resolve<Patch>(given);
}

void apply(const Patch& patch, ConfigDict& cfg) {
  if (patch.stop_after_steps) set(cfg, "stop_after_steps", *patch.stop_after_steps);
  if (patch.batch_size) {
    auto* number = std::get_if<int>(&*patch.batch_size);
    if (!number && std::get<std::string>(*patch.batch_size) != "devices") {
      throw konfig::Error(konfig::ErrorKind::value, "patch.batch_size",
                          "expected a whole number or \"devices\", got \"" +
                              std::get<std::string>(*patch.batch_size) + "\"");
    }
    for (auto* place : {"train_ds", "eval_ds", "evals"}) {
      set_all(cfg, place, "batch_size", number ? *number : 1);
    }
    set_all(cfg, "train_ds", "shuffle_buffer_size", 1);
  }
  if (patch.skip_eval) {
    set(cfg, "evals", konfig::Dict());
  } else {
    patch_evals(patch, cfg);
  }
  if (patch.skip_checkpointer) set(cfg, "checkpointer", Value());
  if (patch.skip_metrics) set(cfg, "train_metrics", konfig::Dict());
  if (patch.skip_summaries) set(cfg, "train_summaries", konfig::Dict());
  if (patch.profile) {
    set(cfg, "profiler",
        konfig::call("kauldron.kd:inspect.Profiler", {{"profile_duration_ms", 0}}));
    set(cfg, "stop_after_steps", std::int64_t{17});  // it begins at step 10
  }
}

}  // namespace cli

KONFIG_REGISTER(cli::Patch, "kd.cli:Patch");
