// Training, evaluation and trial runs for a program, with progress on the console.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

#include "base/join.h"
#include "base/temp_folder.h"
#include "kd/core/durable.h"
#include "kd/core/ops.h"
#include "kd/data/engine/batch.h"
#include "kd/data/engine/dataset.h"
#include "kd/engine/describe_impl.h"
#include "kd/engine/jobs_impl.h"
#include "kd/evals/engine/continuous_eval.h"
#include "kd/nn/engine/overview.h"
#include "kd/train/engine/check.h"
#include "kd/train/engine/train.h"
#include "kd/train/within.h"
#include "kd/writers/progress.h"
#include "konfig/error.h"
#include "konfig/konfig.h"
#include "konfig/registry.h"
#include "konfig/type.h"

namespace kd::engine {

using konfig::ConfigDict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;
using train::Event;
using train::Trainer;

namespace {

std::function<bool()> stop_of(const Job& job) {
  return [signal = job.stop_signal] { return signal && signal->load() != 0; };
}

// `kd resume` finds the types of the config by it.
void keep_source(const Job& job, const Trainer& trainer) {
  if (job.source.empty()) return;
  replace_file(std::filesystem::path(train::workdir_of(trainer)) / kSourceFile, job.source + "\n");
}

// At the start: the run was finished before.
bool is_over(const Event& event) { return event.step >= event.last; }

// A bar over all steps, with the loss.
class Bar {
 public:
  explicit Bar(std::string desc) : desc_(std::move(desc)) {}
  void operator()(const Event& event) {
    if (event.kind == Event::Kind::start) {
      writers::print_line("\n" + std::string(event.model));
      if (is_over(event)) return;
      if (event.step > 0) writers::print_line(fmt::format("goes on at step {}", event.step));
      bar_ = std::make_unique<writers::Progress>(event.last, desc_, event.step);
    } else if (event.kind == Event::Kind::done && bar_) {
      bar_->update(event.step + 1, fmt::format("loss {:.4g}", event.loss));
    }
  }

 private:
  std::string desc_;
  std::unique_ptr<writers::Progress> bar_;
};

}  // namespace

JobResult train_job(const Job& job) { return train_job(job, Shown()); }

JobResult train_job(const Job& job, const Shown& shown) {
  auto trainer = konfig::resolve<Trainer>(job.config);
  train::check_has_losses(*trainer);
  Bar bar(trainer->setup.tqdm_info.desc);
  train::TrainResult result = train::train(
      *trainer,
      {.config = job.config, .should_stop = stop_of(job), .on_event = [&](const Event& e) {
         if (e.kind == Event::Kind::start) keep_source(job, *trainer);
         if (shown.progress) bar(e);
         if (e.kind == Event::Kind::start && is_over(e) && e.step > 0) {
           writers::print_line(
               fmt::format("the run is at step {} and ends after {}: nothing is left to do; {}",
                           e.step, e.last, shown.longer));
         }
         if (shown.on_event) shown.on_event(e);
       }});
  return {.stopped = result.stopped, .step = result.state.step, .saved = result.saved, .text = {}};
}

JobResult eval_shape_job(const Job& job) {
  auto trainer = konfig::resolve<Trainer>(job.config);
  std::string text =
      "element_spec:\n" + data::spec_text(train::open_train_data(*trainer).element_spec);
  text += "\nstate:\n" + data::spec_text(train::state_specs(*trainer));
  text += "\ncontext:\n" + data::spec_text(train::context_specs(*trainer));
  return {.text = text};
}

JobResult inspect_job(const Job& job) {
  auto trainer = konfig::resolve<Trainer>(job.config);
  if (job.show == Show::graph) return {.text = connection_graph(*trainer)};
  if (job.show == Show::schedules) return {.text = {}, .series = schedule_series(*trainer)};
  return {.text = train::model_summary(*trainer, job.depth)};
}

namespace {

// Those that are named, those of a group, or all that run in jobs of their own. Without a
// job_group, an evaluator is a group for itself.
std::vector<std::string> evals_of(const Job& job, const Trainer& trainer) {
  if (!job.eval_names.empty()) return job.eval_names;
  std::vector<std::string> out;
  std::set<std::string> groups;
  for (auto& [name, evaluator] : trainer.evals) {
    const Poly<RunStrategy> run = ops_of(evaluator).run(evaluator.object().get());
    if (!run || !evals::has_own_job(evals::where(trainer, run))) continue;
    const std::string group = ops_of(run).job_group(run.object().get()).value_or(name);
    groups.insert(group);
    if (job.job_group.empty() || group == job.job_group) out.push_back(name);
  }
  if (groups.empty()) {
    throw Error(ErrorKind::value, "evals",
                "none runs in a job of its own; set run=StandaloneEveryCheckpoint or "
                "StandaloneLastCheckpoint");
  }
  if (out.empty()) {
    throw Error(ErrorKind::key, "evals",
                "no evaluator has the job_group '" + job.job_group +
                    "'; there are: " + base::join(groups, ", "));
  }
  return out;
}

}  // namespace

JobResult eval_job(const Job& job) {
  auto trainer = konfig::resolve<Trainer>(job.config);
  const std::vector<std::string> names = evals_of(job, *trainer);
  JobResult out;
  evals::continuous_eval(*trainer, names,
                         {.on_event = [&](const Event& e) { out.step = e.step; },
                          .should_stop = stop_of(job),
                          .quiet_seconds = job.quiet_seconds});
  out.stopped = stop_of(job)();
  return out;
}

namespace {

// The nodes in `value` whose types have a field, each with its path behind `path`.
template <class Visit>
void visit_having(const Value& value, const char* field, const std::string& path,
                  const Visit& visit) {
  if (auto* list = value.get_if<konfig::List>()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      visit_having((*list)[i], field, path + "[" + std::to_string(i) + "]", visit);
    }
  }
  auto* node = value.get_if<ConfigDict>();
  if (!node) return;
  for (auto& [key, item] : node->items()) {
    auto* name = key.get_if<std::string>();
    visit_having(item, field, konfig::join_path(path, name ? *name : key.repr()), visit);
  }
  auto* symbol = node->is_call() ? konfig::find_symbol(node->qualname()) : nullptr;
  if (symbol && symbol->type && symbol->type->find(field)) visit(*node, path);
}

// Gives a field of all objects in `value` that have it another value.
void set_in_all(const Value& value, const char* field, const Value& now) {
  visit_having(value, field, "", [&](ConfigDict node, const std::string&) {
    const auto guard = node.ignore_type();
    node.set(field, now);
  });
}

// Folders that parts of a run have of their own can be made, like that of the run.
void check_own_folders(const ConfigDict& config, const Trainer& trainer) {
  auto check_folder = [](const std::string& place, const std::filesystem::path& folder) {
    try {
      train::check_workdir(folder);
    } catch (const Error& e) {
      throw Error(e.kind(), place, e.message());
    }
  };
  const ConfigDict cfg = config.without_references();
  for (const char* part : {"writer", "checkpointer", "profiler"}) {
    for (const char* field : {"workdir", "output_dir"}) {
      visit_having(cfg.get(part, Value()), field, part,
                   [&](const ConfigDict& node, const std::string& path) {
                     const Value folder = node.get(field, Value());
                     auto* text = folder.get_if<std::string>();
                     if (!text || text->empty()) return;
                     check_folder(konfig::join_path(path, field), *text);
                   });
    }
  }
  const auto around = train::export_folder(trainer).parent_path();
  if (!around.empty()) check_folder("exporter.path", around);
}

// The last step is saved: what a run may leave unsaved says nothing of the trial.
void save_the_end(const ConfigDict& cfg) {
  const Value checkpointer = cfg.get("checkpointer", Value());
  set_in_all(checkpointer, "never_save_step_zero", false);
  auto* node = checkpointer.get_if<ConfigDict>();
  const Value stop = cfg.get("stop_after_steps", Value());
  auto* steps = stop.get_if<std::int64_t>();
  // The best are chosen by a metric, which the trial does not have at every step.
  if (!steps || !node || !node->get("best_metric_path", Value()).is_none()) return;
  set_in_all(checkpointer, "save_on_steps", konfig::List{*steps - 1, *steps});
}

// Writes into a scratch folder, also what names a folder of its own, and nothing to the console.
ConfigDict trial_of(const ConfigDict& config, const std::filesystem::path& workdir) {
  ConfigDict cfg = config.without_references();
  const auto guard = cfg.ignore_type();
  if (!cfg.contains("writer")) cfg.set("writer", konfig::call("kauldron.kd:train.KDMetricWriter"));
  cfg.set("workdir", workdir.string());
  std::vector<Value> writers = {cfg.get("writer")};
  if (auto* evals = cfg.get("evals", Value()).get_if<ConfigDict>()) {
    for (auto& [name, value] : evals->items()) {
      auto* evaluator = value.get_if<ConfigDict>();
      if (evaluator) writers.push_back(evaluator->get("writer", Value()));
    }
  }
  for (auto& writer : writers) {
    set_in_all(writer, "workdir", workdir.string());
    set_in_all(writer, "output_dir", (workdir / "arrays").string());
    set_in_all(writer, "console", false);
  }
  set_in_all(cfg.get("checkpointer", Value()), "workdir", workdir.string());
  save_the_end(cfg);
  set_in_all(cfg.get("profiler", Value()), "workdir", workdir.string());
  set_in_all(cfg.get("exporter", Value()), "path", (workdir / "export").string());
  set_in_all(cfg.get("exporter", Value()), "path_template", "");
  return cfg;
}

// The trial takes one batch, the run as many as it has steps.
void check_data_length(const Trainer& trainer) {
  if (!trainer.train_ds || !trainer.num_train_steps) return;
  std::int64_t steps = std::int64_t{*trainer.num_train_steps} + 1;
  if (trainer.stop_after_steps) steps = std::min<std::int64_t>(steps, *trainer.stop_after_steps);
  const auto size =
      train::within("train_ds", [&] { return data::open(trainer.train_ds).impl()->size(); });
  if (!size || *size >= steps) return;
  throw Error(ErrorKind::value, "train_ds",
              fmt::format("ends after {} batches, but the run makes {} updates; set "
                          "num_epochs=None to repeat it",
                          *size, steps));
}

// The trial takes small batches and few of them; what the data of the run and of its evaluators are
// shows when they are opened.
void check_train_data(const Trainer& trainer) {
  if (!trainer.train_ds) return;
  train::within("train_ds",
                [&] { train::check_batch_fits(data::open(trainer.train_ds).element_spec()); });
}

void check_evaluator_data(const Trainer& trainer) {
  for (auto& [name, evaluator] : trainer.evals) {
    try {
      ops_of(evaluator).open(evaluator.object().get(), trainer, name);
    } catch (const Error& e) {
      throw e.within(name).within("evals");
    }
  }
}

// What the first step made, whatever `on_bad_loss` says of it.
void check_finite(const Tree& params, double loss) {
  if (!std::isfinite(loss)) {
    throw Error(ErrorKind::value, "train_losses",
                fmt::format("the loss of the first step is {}; expected a number", loss));
  }
  for (auto& [path, tensor] : flatten(params)) {
    if (!tensor.is_floating_point() || tensor.isfinite().all().item<bool>()) continue;
    throw Error(ErrorKind::value, "optimizer",
                "after the first step the parameter " + path +
                    " is not finite, while the loss was; look at the learning rate");
  }
}

}  // namespace

JobResult check_job(const Job& job) {
  const base::TempFolder folder("kd_check_");
  // What is made short in the trial is checked as it is.
  auto full = konfig::resolve<Trainer>(job.full);
  train::check_fields(*full);
  train::check_has_losses(*full);
  train::check_workdir(*full);
  check_own_folders(job.full, *full);
  train::check_evaluators(*full);
  train::check_best_metric(*full);
  const auto opened = konfig::resolve<Trainer>(trial_of(job.full, folder.path()));
  check_train_data(*opened);
  check_data_length(*full);
  auto trainer = konfig::resolve<Trainer>(trial_of(job.config, folder.path()));
  double loss = 0;
  std::vector<std::string> evaluated;
  train::TrainResult result = train::train(
      *trainer, {.config = {}, .should_stop = stop_of(job), .on_event = [&](const Event& e) {
                   if (e.kind == Event::Kind::done) loss = e.loss;
                   if (e.kind == Event::Kind::write && e.collection != "train") {
                     evaluated.emplace_back(e.collection);
                   }
                 }});
  check_finite(result.state.params, loss);
  // After the step, which names mistakes of the losses that evaluators take from the trainer.
  check_evaluator_data(*opened);
  std::string text = "batch:\n" + data::spec_text(data::open(trainer->train_ds).element_spec());
  text += "\nparameters:\n" + nn::parameter_overview(result.state.params);
  text += fmt::format("\none step on a small batch: loss {:.6g}\n", loss);
  for (auto& name : evaluated) text += "evaluated: " + name + "\n";
  return {.stopped = result.stopped, .step = result.state.step, .saved = {}, .text = text};
}

}  // namespace kd::engine
