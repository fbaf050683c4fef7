// The loop of a run.
#include "kd/train/engine/train.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>

#include "kd/ckpts/engine/manager.h"
#include "kd/core/durable.h"
#include "kd/core/ops.h"
#include "kd/data/engine/dataset.h"
#include "kd/exports/engine/model.h"
#include "kd/inspect/trace.h"
#include "kd/nn/engine/overview.h"
#include "kd/nn/engine/summary.h"
#include "kd/optim/schedule.h"
#include "kd/train/bad_batch_impl.h"
#include "kd/train/chrono.h"
#include "kd/train/engine/check.h"
#include "kd/train/engine/evaluator.h"
#include "kd/train/engine/record.h"
#include "kd/train/engine/train_step.h"
#include "kd/train/within.h"
#include "kd/train/workdir_impl.h"
#include "kd/writers/engine/context_overview.h"
#include "kd/writers/engine/element_spec.h"
#include "kd/writers/progress.h"
#include "konfig/error.h"
#include "konfig/json.h"

namespace kd::train {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

namespace fs = std::filesystem;

// Results that the reference defines exactly do not depend on it; bits of sums may.
Value machine() {
  return Dict{{"cpu", at::get_cpu_capability()}, {"threads", std::int64_t{at::get_num_threads()}}};
}

constexpr std::size_t kSummaryRows = 12;

// The examples of a batch, by its first tensor.
std::optional<std::int64_t> batch_size_of(const Tree& spec) {
  for (const Tensor& tensor : leaves(spec)) {
    if (tensor.dim() > 0) return tensor.size(0);
  }
  return {};
}

// One evaluator of the run.
struct Eval {
  std::string name;
  Poly<RunStrategy> run;
  bool discard_opt = false;
  std::unique_ptr<EvaluatorRun> runner;
  std::unique_ptr<writers::Writer> writer;
};

class Loop {
 public:
  Loop(const Trainer& trainer, const RunOptions& options)
      : trainer_(trainer), options_(options), workdir_(workdir_of(trainer)), run_(trainer) {}

  TrainResult run();

 private:
  void prepare();
  void keep_other_run() const;
  std::int64_t restore();  // gives the checkpoint's step
  bool will_visit(std::int64_t i) const { return i < end_ || (plan_ && i == end_); }
  void open_evaluators();
  void write_description(const Tree& spec, const Tree& context);
  void write(writers::Writer& writer, const char* collection, const writers::Record& record);
  Place place_at(std::int64_t i) const {
    return plan_ ? plan_->at(i) : Place{.step = i, .epoch = 0, .it = i};
  }
  Dict evaluate_due(std::int64_t i);
  Dict evaluate(Eval& eval, std::int64_t step);
  bool should_save(std::int64_t i) const;
  void save(std::int64_t i, const Value& metrics, bool keep = false);
  void visit(std::int64_t i);
  void step(std::int64_t i);
  void log(std::int64_t i, bool with_summaries);
  void note_unsaved(std::int64_t reached) const;
  void finish();
  Model model() const;
  bool should_stop() const { return options_.should_stop && options_.should_stop(); }
  void tell(Event event) const {
    if (options_.on_event) options_.on_event(event);
  }

  const Trainer& trainer_;
  const RunOptions& options_;
  fs::path workdir_;
  std::unique_ptr<HeldWorkdir> held_;
  StepRun run_;
  std::unique_ptr<ckpts::Manager> checkpoints_;
  std::unique_ptr<data::Iterator> batches_;
  std::unique_ptr<writers::Writer> writer_;
  std::vector<Eval> evals_;
  Chrono chrono_;
  std::optional<inspect::Tracer> tracer_;  // once the folder is there
  Tree element_spec_;
  std::string model_;  // as a table
  TrainState state_;
  AuxState aux_;
  std::int64_t first_ = 0, end_ = 0;  // updates before this run of the loop, and after it
  std::optional<EpochPlan> plan_;     // of a run that is counted in epochs
  std::optional<AuxValues> logged_;   // by the step before, if it was
};

std::int64_t Loop::restore() {
  ckpts::Snapshot snapshot = checkpoints_->restore();
  state_ = restored_from(checkpoints_->place_of(snapshot.step), state_, snapshot.state);
  if (auto* timer = snapshot.items.find("timer")) chrono_.restore(*timer);
  if (auto* position = snapshot.items.find("ds_iter")) {
    batches_->restore(*position);
  }
  if (auto* saved = snapshot.items.find("machine"); saved && !(*saved == machine())) {
    writers::print_line("note: the checkpoint is from another machine or number of threads (" +
                        konfig::to_json(*saved) + "); sums may differ in their last bits");
  }
  return snapshot.step;
}

// A config that does not go on from a run's checkpoints would begin it again, and overwrite it.
void Loop::keep_other_run() const {
  const ckpts::Manager kept(ckpts::Checkpointer{.save_interval_steps = 1}, workdir_,
                            /*read_only=*/true);
  const auto last = kept.latest_step();
  if (!last) return;
  throw Error(ErrorKind::value, "workdir",
              workdir_.string() + " holds a run up to step " + std::to_string(*last) +
                  ", which this config would overwrite: its checkpointer is None or keeps "
                  "checkpoints elsewhere; train into another folder: --cfg.workdir=DIR");
}

void Loop::prepare() {
  check_fields(trainer_);
  check_evaluators(trainer_);
  check_best_metric(trainer_);
  if (!trainer_.trainstep || ops_of(trainer_.trainstep).needs_optimizer) run_.optimizer();
  held_ = std::make_unique<HeldWorkdir>(workdir_);
  checkpoints_ = std::make_unique<ckpts::Manager>(trainer_.checkpointer, workdir_);
  const auto latest = checkpoints_->latest_step();
  if (!latest) keep_other_run();
  const TrainData data = open_train_data(trainer_);
  const Tree spec = element_spec_ = data.element_spec;
  if (trainer_.epochs) plan_.emplace(*trainer_.epochs, data.pass_size);
  state_ = run_.init(
      {.skip_transforms = latest.has_value(), .element_spec = spec, .on_state = options_.on_init});
  chrono_ = Chrono(batch_size_of(spec));
  batches_ = std::make_unique<data::Iterator>(data.batches.iterate());
  const Tree context = [&] {
    const nn::CallList calls;
    Tree specs = check_step(run_, state_, spec);
    model_ = nn::summary_text(calls, state_.params, {.max_rows = kSummaryRows});
    return specs;
  }();
  // A step of one's own may count otherwise: the checkpoint's number is that of the loop.
  const std::int64_t restored = latest ? restore() : 0;
  first_ = restored > 0 ? restored : state_.step;
  const std::int64_t length =
      plan_ ? plan_->num_steps() : std::int64_t{*trainer_.num_train_steps} + 1;
  end_ = std::min<std::int64_t>(
      length, trainer_.stop_after_steps.value_or(std::numeric_limits<int>::max()));
  open_evaluators();
  // What is not done again is not written again: its row stays.
  writer_ = writers::open(trainer_.writer, workdir_, "train", first_ < end_ ? first_ : first_ + 1);
  within("profiler", [&] { tracer_.emplace(trainer_.profiler, workdir_); });
  fs::remove(workdir_ / kCompleteFile);
  if (!options_.config.empty()) writer_->write_config(options_.config);
  const bool is_new = latest.value_or(0) == 0;
  if (!options_.config.empty()) keep_config(workdir_, options_.config, is_new);
  if (is_new) write_description(spec, context);
}

void Loop::open_evaluators() {
  for (auto& [name, evaluator] : trainer_.evals) {
    const auto& ops = ops_of(evaluator);
    const void* self = evaluator.object().get();
    Eval eval{.name = name,
              .run = ops.run(self),
              .discard_opt = ops.discard_opt(self),
              .runner = {},
              .writer = {}};
    const Where where = train::where(eval.run);
    if (where != Where::in_training && where != Where::at_the_end) continue;
    try {
      eval.runner = ops.open(self, trainer_, name);
      eval.runner->check(state_);
      // After the last step there is nothing left to interrupt.
      if (where == Where::in_training) eval.runner->stop_if(options_.should_stop);
    } catch (const Error& e) {
      throw e.within(name).within("evals");
    }
    const bool again =
        where == Where::at_the_end ||
        (will_visit(first_) && should_eval(eval.run, place_at(first_), plan_.has_value()));
    eval.writer = writers::open(ops.writer(self, trainer_.writer), workdir_, name,
                                again ? first_ : first_ + 1);
    evals_.push_back(std::move(eval));
  }
}

void Loop::write_description(const Tree& spec, const Tree& context) {
  writers::Record texts{.step = 0};
  if (!options_.config.empty()) {
    const std::string json = konfig::to_json(options_.config, {.indent = 2});
    texts.texts.emplace_back("config", std::vector<std::string>{"```json\n" + json + "\n```"});
  }
  const std::string element_spec = writers::element_spec_json(spec);
  replace_file(workdir_ / "element_spec.json", element_spec);
  auto add = [&](const char* name, std::string text) {
    texts.texts.emplace_back(name, std::vector<std::string>{std::move(text)});
  };
  add("parameters", nn::parameter_markdown(state_.params, "()"));
  std::int64_t num_params = 0;
  for (const Tensor& tensor : leaves(state_.params)) num_params += tensor.numel();
  add("num_params", std::to_string(num_params));
  add("element_spec", "```python\n" + element_spec + "\n```");
  add("context_spec", writers::context_overview(context));
  writer_->write(texts);
}

void Loop::write(writers::Writer& writer, const char* collection, const writers::Record& record) {
  writer.write(record);
  writer.flush();
  tell({.kind = Event::Kind::write,
        .step = record.step,
        .collection = collection,
        .record = &record});
}

Dict Loop::evaluate(Eval& eval, std::int64_t step) {
  AuxValues values;
  writers::Record record;
  try {
    Evaluation found = eval.runner->evaluate(state_, step);
    values = compute(found.aux);
    record = record_of(step, values, std::move(found.scalars));
  } catch (const Error& e) {
    throw e.within(eval.name).within("evals").with(" (step " + std::to_string(step) + ")");
  }
  if (!record.empty()) write(*eval.writer, eval.name.c_str(), record);
  eval.runner->written(record);
  return metrics_of(values);
}

Dict Loop::evaluate_due(std::int64_t i) {
  Dict metrics;
  auto pause = chrono_.pause(Chrono::kEvals);
  for (Eval& eval : evals_) {
    if (should_eval(eval.run, place_at(i), plan_.has_value())) {
      metrics.set(eval.name, evaluate(eval, i));
    }
  }
  return metrics;
}

bool Loop::should_save(std::int64_t i) const {
  return plan_ ? checkpoints_->should_save_in_epoch(place_at(i)) : checkpoints_->should_save(i);
}

Model Loop::model() const {
  return Model(trainer_.model, state_.params, state_.collections, element_spec_);
}

void Loop::save(std::int64_t i, const Value& metrics, bool keep) {
  auto pause = chrono_.pause(Chrono::kCheckpoint);
  tell({.kind = Event::Kind::save, .step = i, .state = &state_});
  ckpts::Snapshot snapshot{.state = to_tree(state_), .items = {}};
  snapshot.items["timer"] = chrono_.to_value();
  snapshot.items["ds_iter"] = batches_->state_value();
  snapshot.items["machine"] = machine();
  checkpoints_->save(i, snapshot, metrics, keep);
  if (exports::exports_at_every_save(trainer_.exporter)) {
    exports::export_model(trainer_.exporter, model(), workdir_);
  }
}

// What comes before the update with this number, or after the last one.
void Loop::visit(std::int64_t i) {
  checkpoints_->check_saved();
  Dict metrics = evaluate_due(i);
  if (should_save(i)) {
    if (logged_) metrics.set("train", metrics_of(*logged_));
    save(i, metrics);
  }
  logged_.reset();
}

void Loop::step(std::int64_t i) {
  visit(i);
  const bool summaries = i % trainer_.log_summaries_every == 0;
  const bool with_metrics = i % trainer_.log_metrics_every == 0;
  std::optional<Tree> batch = batches_->next();
  if (!batch) {
    throw Error(ErrorKind::value, "train_ds",
                "ran out of data at step " + std::to_string(i) + " of " + std::to_string(end_) +
                    "; set num_epochs=None to repeat it");
  }
  tell({.kind = Event::Kind::step, .step = i, .state = &state_});
  run_.set_place(place_at(i));
  StepResult result;
  try {
    result = run_.step(
        std::move(state_), *batch,
        {.losses = summaries || with_metrics, .metrics = with_metrics, .summaries = summaries});
  } catch (const BadLoss& e) {
    throw e.with(save_bad_batch(workdir_, i, *batch, batches_->records()));
  }
  state_ = std::move(result.state);
  aux_ = std::move(result.aux);
  chrono_.finish_step();
  tell({.kind = Event::Kind::done, .step = i, .loss = result.loss, .place = run_.place()});
  if (summaries || with_metrics) log(i, summaries);
  tracer_->step(i);
}

void Loop::log(std::int64_t i, bool with_summaries) {
  AuxValues values = compute(aux_);
  if (!with_summaries) values.summaries.clear();
  writers::Record record = record_of(i, values, aux_.scalars);
  for (auto& [name, schedule] : trainer_.schedules) {
    record.scalars.emplace_back("schedules/" + name, schedule(i));
  }
  for (auto& speed : chrono_.flush()) record.scalars.push_back(std::move(speed));
  write(*writer_, "train", record);
  if (aux_.metric_states) logged_ = std::move(values);
}

// As in Kauldron, a run that ends between two saves is not saved once more.
void Loop::note_unsaved(std::int64_t reached) const {
  if (checkpoints_->is_noop()) return;
  const auto newest = checkpoints_->latest_step();
  if (newest.value_or(-1) >= reached) return;
  const std::string there = newest ? "the newest checkpoint is of step " + std::to_string(*newest) +
                                         ": what came after it, up to step " +
                                         std::to_string(reached) + ", is not saved"
                                   : "no checkpoint was saved";
  writers::print_line("note: " + there +
                      "; a save interval that divides num_train_steps keeps the end, too");
}

void Loop::finish() {
  std::vector<Eval*> final;
  for (Eval& eval : evals_) {
    if (train::where(eval.run) == Where::at_the_end) final.push_back(&eval);
  }
  if (!final.empty() && std::ranges::all_of(final, [](Eval* e) { return e->discard_opt; })) {
    state_.opt_state = Tree();
  }
  const std::int64_t last = plan_ ? plan_->num_steps() : *trainer_.num_train_steps;
  for (Eval* eval : final) evaluate(*eval, last);
  exports::export_model(trainer_.exporter, model(), workdir_);
  checkpoints_->wait_until_finished();
  const std::int64_t reached = plan_ ? end_ : end_ - 1;
  note_unsaved(reached);
  replace_file(workdir_ / kCompleteFile, std::to_string(reached));
  for (Eval& eval : evals_) eval.writer->finish();
  writer_->finish();
}

TrainResult Loop::run() {
  prepare();
  TrainResult out;
  tell({.kind = Event::Kind::start, .step = first_, .last = end_, .model = model_});
  chrono_.start();
  std::int64_t i = first_;
  try {
    for (; i < end_; ++i) {
      out.stopped = should_stop();
      if (out.stopped) break;
      step(i);
    }
    if (!out.stopped && will_visit(end_) && first_ <= end_) visit(end_);
  } catch (const Stopped&) {  // by an evaluation, before its step
    out.stopped = true;
  }
  if (out.stopped) {
    if (!checkpoints_->is_noop()) {
      checkpoints_->wait_until_finished();
      if (checkpoints_->latest_step() != i) save(i, Value(), /*keep=*/true);
      checkpoints_->wait_until_finished();
      out.saved = i;
    }
  } else {
    finish();
  }
  out.state = std::move(state_);
  out.aux = std::move(aux_);
  return out;
}

}  // namespace

TrainResult train(const Trainer& trainer, const RunOptions& options) {
  return Loop(trainer, options).run();
}

}  // namespace kd::train
