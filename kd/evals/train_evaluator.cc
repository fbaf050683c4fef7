// TrainEvaluator: another training on top of the model, and its evaluators.
#include <algorithm>
#include <filesystem>

#include "kd/ckpts/engine/store.h"
#include "kd/core/ops.h"
#include "kd/evals/engine/evaluator.h"
#include "kd/evals/special_evaluators.h"
#include "kd/train/engine/check.h"
#include "kd/train/engine/record.h"
#include "kd/train/engine/train.h"
#include "kd/train/trainer.h"
#include "konfig/error.h"
#include "konfig/konfig.h"
#include "konfig/register.h"
#include "kontext/get.h"
#include "kontext/set.h"

namespace kd::evals {

namespace fs = std::filesystem;
using konfig::ConfigDict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;
using train::Trainer;

namespace {

void set_in(ConfigDict& cfg, const std::string& path, const Value& value) {
  const auto guard = cfg.ignore_type();
  kontext::set_by_path(cfg, path, value);
}

// The inner trainer, around the outer model.
ConfigDict inner_config(const TrainEvaluator& evaluator, const Trainer& trainer,
                        const fs::path& folder) {
  if (evaluator.readout_config.empty()) {
    throw Error(ErrorKind::required, "readout_config", "expected the config of a trainer");
  }
  ConfigDict cfg = evaluator.readout_config.copy();
  const std::string& swapped = evaluator.submodule_to_swap_path;
  try {
    kontext::get_by_path(cfg, swapped);
    set_in(cfg, swapped, konfig::lower(trainer.model));
    for (auto& [path, value] : evaluator.overrides.items()) {
      set_in(cfg, swapped + "." + path.as<std::string>(), value);
    }
    if (!evaluator.readout_inputs.empty()) {
      set_in(cfg, "model.readout_inputs", evaluator.readout_inputs);
    }
  } catch (const Error& e) {
    throw e.within("readout_config");
  }
  set_in(cfg, "workdir", folder.string());
  for (const char* off : {"profiler", "writer", "init_transform"}) set_in(cfg, off, Value());
  return cfg;
}

class TrainRun final : public EvaluatorRun {
 public:
  TrainRun(const TrainEvaluator& evaluator, const Trainer& trainer, const std::string& name)
      : evaluator_(evaluator),
        name_(name),
        workdir_(train::workdir_of(trainer)),
        folder_(workdir_ / ("train_evals." + name)) {
    try {
      inner_ = konfig::resolve<Trainer>(inner_config(evaluator, trainer, folder_));
    } catch (const Error& e) {
      throw e.with("\n(in readout_config)");
    }
    if (!inner_->num_train_steps) {
      throw Error(ErrorKind::required, "readout_config.num_train_steps", "it is None");
    }
    const std::string path =
        evaluator.subparams_to_swap_path.value_or(evaluator.submodule_to_swap_path);
    const auto dot = path.find('.');
    if (dot == path.npos) {
      throw Error(ErrorKind::value, "subparams_to_swap_path",
                  "expected a place below the model, as in \"model.model\", got \"" + path + "\"");
    }
    params_path_ = path.substr(dot + 1);
  }

  Evaluation evaluate(train::TrainState state, std::int64_t step) override {
    const Trainer trainer = trainer_of(step);
    train::TrainResult result = train::train(
        trainer,
        {.on_event = [&](const train::Event& event) { log(event, step); },
         .on_init = [&](train::TrainState inner) { return swapped(std::move(inner), state); }});
    for (auto& [name, evaluator] : inner_->evals) {
      run_inner(trainer, name, evaluator, result.state, step);
    }
    return {};
  }

  void check(const train::TrainState&) override { train::context_specs(*inner_); }

 private:
  Trainer trainer_of(std::int64_t step) const {
    Trainer out = *inner_;
    const fs::path folder = folder_ / ("_" + name_ + "_" + std::to_string(step));
    out.workdir = folder.string();
    out.stop_after_steps =
        static_cast<int>(evaluator_.stop_after_steps_schedule_fn(step, *inner_->num_train_steps));
    out.checkpointer = ckpts::moved_to(out.checkpointer, folder, /*most=*/1);
    return out;
  }

  // With the parameters of the outer model, and what its calls changed: running means and the like.
  train::TrainState swapped(train::TrainState inner, const train::TrainState& outer) const {
    swap(inner.params, outer.params, "parameters");
    for (std::size_t i = 0; i < outer.collections.size(); ++i) {
      const std::string& name = outer.collections.name(i);
      swap(inner.collections[name], outer.collections.child(i), name);
    }
    return inner;
  }

  // A copy: training writes over it.
  void swap(Tree& values, const Tree& from, const std::string& what) const {
    Tree* place = &values;
    for (std::string rest = params_path_; !rest.empty() && place;) {
      const auto dot = rest.find('.');
      place = place->find(rest.substr(0, dot));
      rest = dot == rest.npos ? "" : rest.substr(dot + 1);
    }
    const auto expected = place ? flatten(*place) : decltype(flatten(from))(),
               given = flatten(from);
    const bool same = std::ranges::equal(expected, given, [](auto& a, auto& b) {
      return a.first == b.first && a.second.sizes() == b.second.sizes();
    });
    if (!same || !place) {
      throw Error(ErrorKind::value, "subparams_to_swap_path",
                  "the " + what + " at '" + params_path_ + "' are not those of the outer model");
    }
    *place = map(from, [](const Tensor& tensor) { return tensor.detach().clone(); });
  }

  // What the inner training logs, in folders of its own: readout.train.500.
  void log(const train::Event& event, std::int64_t step) {
    if (event.kind != train::Event::Kind::write) return;
    const std::string collection =
        name_ + "." + std::string(event.collection) + "." + std::to_string(step);
    writers::Record scalars{.step = event.step, .scalars = event.record->scalars};
    if (!scalars.empty()) writer(collection, event.step).write(scalars);
  }

  void run_inner(const Trainer& trainer, const std::string& name, Poly<kd::Evaluator> evaluator,
                 const train::TrainState& state, std::int64_t step) {
    if (evaluator.holds<Evaluator>()) evaluator.as<Evaluator>().losses = {};
    try {
      auto runner = ops_of(evaluator).open(evaluator.object().get(), trainer, name);
      Evaluation found = runner->evaluate(state, step);
      const writers::Record record =
          train::record_of(step, compute(found.aux), std::move(found.scalars));
      if (!record.empty()) writer(name_ + "." + name, step).write(record);
      runner->written(record);
    } catch (const Error& e) {
      throw e.within(name).within("readout_config.evals");
    }
  }

  // Opened at the first step of this process that it writes: later ones are this process's own.
  writers::Writer& writer(const std::string& collection, std::int64_t step) {
    auto& found = writers_[collection];
    if (!found) found = writers::open(*evaluator_.writer, workdir_, collection, step);
    return *found;
  }

  TrainEvaluator evaluator_;
  std::string name_;
  fs::path workdir_, folder_;
  std::shared_ptr<const Trainer> inner_;
  std::string params_path_;
  std::map<std::string, std::unique_ptr<writers::Writer>> writers_;
};

std::int64_t constant_steps(std::int64_t, std::int64_t steps) { return steps; }

std::int64_t linear_steps(std::int64_t step, std::int64_t steps) {
  constexpr double kRampUp = 100'000;
  const double part = static_cast<double>(steps) * static_cast<double>(step) / kRampUp;
  return std::min(std::max(static_cast<std::int64_t>(part), std::int64_t{1}), steps);
}

}  // namespace

std::unique_ptr<EvaluatorRun> TrainEvaluator::open(const Trainer& trainer,
                                                   const std::string& key) const {
  return std::make_unique<TrainRun>(*this, trainer, key);
}

}  // namespace kd::evals

KONFIG_CALLABLE("kauldron.kd:contrib.evals.default_stop_after_steps_schedule_fn",
                kd::evals::constant_steps);
KONFIG_CALLABLE("kauldron.kd:contrib.evals.linear_stop_after_steps_schedule_fn",
                kd::evals::linear_steps);
