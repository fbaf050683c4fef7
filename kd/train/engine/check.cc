// What is checked before the first step: names, keys, shapes.
#include "kd/train/engine/check.h"

#include <ATen/core/grad_mode.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "kd/core/ops.h"
#include "kd/data/engine/batch.h"
#include "kd/exports/engine/model.h"
#include "kd/nn/engine/summary.h"
#include "kd/nn/module/keys.h"
#include "kd/optim/combine.h"
#include "kd/optim/engine/transform.h"
#include "kd/train/engine/evaluator.h"
#include "kd/train/engine/train_step.h"
#include "kd/train/within.h"
#include "kd/train/workdir_impl.h"
#include "konfig/error.h"

namespace kd::train {

using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

bool is_identifier(const std::string& name) {
  auto letter = [](unsigned char c) { return std::isalpha(c) || c == '_' || c == '.' || c == '-'; };
  return !name.empty() && letter(name[0]) &&
         std::ranges::all_of(name, [&](unsigned char c) { return letter(c) || std::isdigit(c); });
}

void check_roots(const StepRun& run) {
  within("train_losses", [&] { return roots_of(run.aux().losses); });
  within("train_metrics", [&] { return roots_of(run.aux().metrics); });
  within("train_summaries", [&] { return roots_of(run.aux().summaries); });
  const Poly<Module>& model = run.trainer().model;
  if (model && nn::is_key_annotated(model)) {
    std::vector<std::string> roots;
    within("model", [&] { return add_roots(roots, nn::keypaths(model)), 0; });
  }
}

}  // namespace

// A batch too large for memory is a mistake; making it would take the machine with it.
void check_batch_fits(const Tree& spec) {
  double bytes = 0;
  for (const Tensor& tensor : leaves(spec)) {
    bytes += static_cast<double>(tensor.numel()) * static_cast<double>(tensor.element_size());
  }
  const double memory =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (bytes <= memory) return;
  throw Error(ErrorKind::value, "batch_size",
              "a batch takes " + std::to_string(std::llround(bytes / 1e9)) +
                  " GB, this machine has " + std::to_string(std::llround(memory / 1e9)) +
                  " GB; choose a smaller one");
}

std::string workdir_of(const Trainer& trainer) {
  if (trainer.workdir && !trainer.workdir->empty()) return *trainer.workdir;
  throw Error(ErrorKind::required, "workdir",
              "a run needs a folder; set it, or --cfg.workdir=runs/my_run");
}

void check_workdir(const Trainer& trainer) {
  if (trainer.workdir && !trainer.workdir->empty()) check_workdir(*trainer.workdir);
}

void check_workdir(const std::filesystem::path& path) {
  const NewFolders made(path);
  check_can_write(path);
}

std::filesystem::path export_folder(const Trainer& trainer) {
  if (!trainer.exporter || !trainer.exporter.holds<exports::ModelExporter>()) return {};
  return trainer.exporter.as<exports::ModelExporter>().folder(trainer.workdir.value_or(""));
}

namespace {

// The folder that an export replaces holds nothing else, now and when the run has its files.
void check_export(const Trainer& trainer) {
  namespace fs = std::filesystem;
  const fs::path given = export_folder(trainer);
  if (given.empty() || !trainer.workdir || trainer.workdir->empty()) return;
  const fs::path workdir = fs::absolute(*trainer.workdir).lexically_normal();
  const fs::path folder = fs::absolute(given).lexically_normal();
  const std::string inside = folder.lexically_relative(workdir).string();
  const std::string around = workdir.lexically_relative(folder).string();
  const bool used = inside == "checkpoints" || inside == "train" || inside == "profile" ||
                    trainer.evals.find(inside) != nullptr;
  if (used || !around.starts_with("..")) {
    throw Error(ErrorKind::value, "exporter",
                folder.string() +
                    " has the run's own files; an exported model gets a folder of "
                    "its own: set path or name");
  }
  exports::check_replaceable(folder);
}

}  // namespace

void check_fields(const Trainer& trainer) {
  check_export(trainer);
  auto fail = [](const char* field, const std::string& text) {
    throw Error(ErrorKind::value, field, text);
  };
  auto at_least = [&](int least, const char* field, const std::optional<int>& value) {
    if (!value || *value >= least) return;
    fail(field,
         "expected a whole number " +
             (least == 0 ? std::string("of 0 or more") : "above " + std::to_string(least - 1)) +
             ", got " + std::to_string(*value));
  };
  if (trainer.setup.eval_only) {
    fail("setup.eval_only", "this config only evaluates; use `kd eval`");
  }
  if (trainer.epochs && trainer.num_train_steps) {
    fail("num_train_steps", "it is set, and so is epochs; a run has one length");
  }
  if (!trainer.num_train_steps && !trainer.epochs) {
    fail("num_train_steps",
         "not set; give the number of steps, such as --cfg.num_train_steps=1000");
  }
  at_least(0, "num_train_steps", trainer.num_train_steps);
  at_least(0, "stop_after_steps", trainer.stop_after_steps);
  at_least(1, "log_metrics_every", trainer.log_metrics_every);
  at_least(1, "log_summaries_every", trainer.log_summaries_every);
}

// The usual steps learn from losses alone; a step of one's own may do without.
void check_has_losses(const Trainer& trainer) {
  const auto& step = trainer.trainstep;
  const bool usual = !step || step.holds<TrainStep>() || step.holds<MultiTrainStep>();
  if (!usual || !trainer.train_losses.empty()) return;
  throw Error(ErrorKind::required, "train_losses",
              "there are none, so nothing is learned; add one, for example "
              "--cfg.train_losses.l2=\"py::kd.losses.L2(preds='preds', targets='batch.y')\"");
}

TrainData open_train_data(const Trainer& trainer) {
  return within("train_ds", [&]() -> TrainData {
    if (!trainer.train_ds) {
      throw Error(ErrorKind::required,
                  "it is None, and a run needs data; set it, for example to a data::py::Tfds");
    }
    const data::Dataset dataset = data::open(trainer.train_ds);
    const auto pass = dataset.impl()->pass_size();
    check_batch_fits(dataset.element_spec());  // from one record; the next line makes a whole batch
    data::Dataset batches = dataset.device_put();
    Tree spec = batches.element_spec();
    return {std::move(batches), std::move(spec), pass};
  });
}

void check_evaluators(const Trainer& trainer) {
  for (auto& [name, evaluator] : trainer.evals) {
    auto fail = [&name = name](const std::string& text) {
      throw Error(ErrorKind::value, konfig::join_path("evals", name), text);
    };
    if (name == "train") fail("'train' is the name of the training's own files");
    if (!is_identifier(name)) {
      fail("'" + name + "' is no name: letters, digits, '_', '.' and '-', not a digit first");
    }
    if (!evaluator) fail("it is None; leave it out");
    const auto& ops = ops_of(evaluator);
    const std::string own = ops.name(evaluator.object().get());
    if (own != "eval" && own != name)
      fail("its field `name` is '" + own + "', its key '" + name + "'");
    const Poly<RunStrategy> run = ops.run(evaluator.object().get());
    if (!run)
      fail("`run` is missing: when does it run? --cfg.evals." + name +
           ".run='py::kd.evals.EveryNSteps(100)' is one answer");
    try {
      const double seconds = ops_of(run).seconds_to_sleep(run.object().get());
      if (!(seconds >= 0)) {
        throw Error(ErrorKind::value, "seconds_to_sleep",
                    "expected seconds of 0 or more, got " + Value(seconds).repr());
      }
      should_eval(run, {}, trainer.epochs.has_value());  // a number of steps that cannot be
    } catch (const Error& e) {
      throw e.within("run").within(name).within("evals");
    }
  }
}

Tree check_step(StepRun& run, const TrainState& state, const Tree& spec) {
  at::NoGradGuard no_grad;
  // A step that makes its own state computes without a model: there are no keys to check.
  if (!run.trainer().model && run.makes_state()) return Tree::dict();
  check_roots(run);
  const Returns all{.losses = true, .metrics = true, .summaries = true};
  const Tree batch = mock_batch(spec);
  const Tree variables = variables_of(state.params, state.collections);
  const Forward made =
      train::forward(run.trainer().model, variables, Context{.step = state.step, .batch = batch},
                     {.rngs = train_rngs(run.trainer().rng_streams, state.step),
                      .is_training = true,
                      .capture = true});
  Context context{.step = state.step, .batch = batch, .params = variables["params"]};
  add_forward(context, made);
  if (!state.opt_state.is_none()) context.opt_state = state.opt_state;
  // Gradients and updates, also those by loss, have the structure and shapes of the parameters.
  Tree parts = Tree::dict();
  for (auto& [name, loss] : run.aux().losses) parts[name] = state.params;
  const Poly<Optimizer>& optimizer = run.trainer().optimizer;
  const bool several = optimizer && optimizer.holds<optim::MultiOptimizer>();
  if (several || run.needs(all, "subgrads") || run.needs(all, "subupdates")) {
    context.subgrads = parts;
    context.subupdates = parts;
  }
  const losses::LossesResult losses = run.add_losses(context, run.aux().losses);
  context.loss_states = &losses.states;
  context.grads = context.params;
  context.updates = context.params;
  AuxState aux;
  run.add_aux(aux, context, all);
  return data::spec_of(to_tree(context));
}

Tree state_specs(const Trainer& trainer) {
  return data::spec_of(to_tree(StepRun(trainer).init({.skip_transforms = true})));
}

Tree context_specs(const Trainer& trainer) {
  StepRun run(trainer);
  const Tree spec = open_train_data(trainer).element_spec;
  return check_step(run, run.init({.skip_transforms = true, .element_spec = spec}), spec);
}

std::string model_summary(const Trainer& trainer, std::optional<int> depth) {
  at::NoGradGuard no_grad;
  StepRun run(trainer);
  const Tree spec = open_train_data(trainer).element_spec;
  const TrainState state =
      run.init({.skip_transforms = true, .skip_optimizer = true, .element_spec = spec});
  const Tree batch = mock_batch(spec);
  const Tree variables = variables_of(state.params, state.collections);
  const nn::CallList calls;
  train::forward(trainer.model, variables, Context{.step = state.step, .batch = batch},
                 {.rngs = train_rngs(trainer.rng_streams, state.step), .capture = false});
  return nn::summary_text(calls, state.params, {.depth = depth});
}

}  // namespace kd::train
