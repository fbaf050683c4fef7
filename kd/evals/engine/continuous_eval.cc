// The loop over checkpoints.
#include "kd/evals/engine/continuous_eval.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "base/file.h"
#include "base/join.h"
#include "base/number_in.h"
#include "base/sha256.h"
#include "kd/ckpts/engine/init_transform.h"
#include "kd/ckpts/engine/manager.h"
#include "kd/core/durable.h"
#include "kd/data/engine/dataset.h"
#include "kd/train/engine/check.h"
#include "kd/train/engine/record.h"
#include "kd/train/engine/train_step.h"
#include "kd/writers/engine/element_spec.h"
#include "kd/writers/progress.h"
#include "konfig/error.h"
#include "konfig/suggest.h"

namespace kd::evals {

using konfig::Error;
using konfig::ErrorKind;
using train::AuxState;
using train::Trainer;
using train::TrainState;

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Eval {
  std::string name;
  Where where;
  double seconds_to_sleep = 1;
  bool discard_opt = false;
  std::unique_ptr<EvaluatorRun> runner;
  std::unique_ptr<writers::Writer> writer;
  std::string failure = {};  // why it runs no more
};

// Names of folders have their limit.
std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 100;
  std::string out = base::join(names, ":");
  return out.size() <= kLongest ? out : base::sha256(out).substr(0, 8);
}

// The checkpoint that is being evaluated, for a job that may be stopped at any time: training may
// remove its own meanwhile. Without `setup.preemptable_eval` there is none.
class OwnCopy {
 public:
  OwnCopy(bool wanted, const fs::path& folder)
      : manager_(wanted ? Poly<Checkpoints>(ckpts::Checkpointer{
                              .save_interval_steps = 1, .workdir = std::optional(folder.string())})
                        : Poly<Checkpoints>(),
                 folder) {}

  // What a job before this one did not finish.
  std::optional<TrainState> unfinished(const TrainState& like) {
    if (!manager_.latest_step()) return {};
    return restored(like, manager_.restore().state);
  }
  void keep(const TrainState& state) {
    manager_.save(state.step, {.state = to_tree(state), .items = {}});
    manager_.wait_until_finished();
  }
  void remove() {
    for (std::int64_t step : manager_.all_steps()) manager_.remove(step);
  }

 private:
  ckpts::Manager manager_;
};

// A run that ended between two saves: what is evaluated is older than what it trained.
void note_unsaved(const fs::path& run, std::int64_t step) {
  const auto text = base::try_read_file(run / train::kCompleteFile);
  const auto reached = base::number_in<std::int64_t>(text.value_or(""));
  if (!reached || *reached <= step) return;
  writers::print_line("note: " + run.string() + " was trained to step " + std::to_string(*reached) +
                      ", but its newest checkpoint is of step " + std::to_string(step) +
                      ": its end is not evaluated");
}

class Job {
 public:
  Job(const Trainer& trainer, const std::vector<std::string>& names,
      const ContinuousOptions& options)
      : trainer_(trainer),
        options_(options),
        workdir_(workdir_of(trainer)),
        own_folder_(workdir_ / ("_eval_" + joined(names))) {
    check_evaluators(trainer);
    for (const std::string& name : names) add(name);
    if (evals_.empty()) throw Error(ErrorKind::value, "no evaluator is named");
  }

  std::map<std::string, AuxState> run();
  const std::map<std::string, AuxState>& results() const { return results_; }

 private:
  void add(const std::string& name);
  void open(Eval& eval, std::int64_t step);
  void evaluate(Where where, const TrainState& state);
  void fail_if_all_failed() const;
  void finish() const;
  std::optional<Tree> element_spec();
  std::optional<std::string> named_run() const;
  std::string source_run() const;
  void follow(TrainState state, const fs::path& folder, const Poly<Checkpoints>& options);
  std::optional<TrainState> restore(ckpts::Manager& checkpoints, const TrainState& state,
                                    std::int64_t step);
  bool any(Where where) const {
    return std::ranges::any_of(evals_, [&](auto& eval) { return eval.where == where; });
  }
  bool stopped() const { return options_.should_stop && options_.should_stop(); }
  void sleep() const;

  const Trainer& trainer_;
  const ContinuousOptions& options_;
  fs::path workdir_, own_folder_;
  std::vector<Eval> evals_;
  std::map<std::string, AuxState> results_;
};

void Job::add(const std::string& name) {
  const Poly<kd::Evaluator>* found = trainer_.evals.find(name);
  if (!found) {
    std::vector<std::string> known;
    for (auto& [other, evaluator] : trainer_.evals) known.push_back(other);
    throw Error(ErrorKind::key, "evals",
                "there is no evaluator '" + name + "'" + konfig::did_you_mean(name, known));
  }
  const auto& ops = ops_of(*found);
  const void* self = found->object().get();
  const Poly<RunStrategy> run = ops.run(self);
  Eval eval{.name = name, .where = where(trainer_, run), .runner = {}, .writer = {}};
  if (!has_own_job(eval.where)) {
    throw Error(ErrorKind::value, "evals." + name + ".run",
                "it runs in the training job; a job of its own needs StandaloneEveryCheckpoint or "
                "StandaloneLastCheckpoint");
  }
  eval.seconds_to_sleep = ops_of(run).seconds_to_sleep(run.object().get());
  eval.discard_opt = ops.discard_opt(self);
  evals_.push_back(std::move(eval));
}

void Job::sleep() const {
  double seconds = evals_.front().seconds_to_sleep;
  for (auto& eval : evals_) seconds = std::min(seconds, eval.seconds_to_sleep);
  std::this_thread::sleep_for(std::chrono::duration<double>(std::max(seconds, 0.01)));
}

// Opened at its first evaluation: data that cannot be read is its failure alone.
void Job::open(Eval& eval, std::int64_t step) {
  const Poly<kd::Evaluator>& evaluator = trainer_.evals.at(eval.name);
  const auto& ops = ops_of(evaluator);
  const void* self = evaluator.object().get();
  eval.runner = ops.open(self, trainer_, eval.name);
  eval.runner->stop_if(options_.should_stop);
  eval.writer = writers::open(ops.writer(self, trainer_.writer), workdir_, eval.name, step);
}

void Job::evaluate(Where where, const TrainState& state) {
  for (Eval& eval : evals_) {
    if (eval.where != where || !eval.failure.empty()) continue;
    try {
      if (!eval.runner) open(eval, state.step);
      Evaluation found = eval.runner->evaluate(state, state.step);
      const writers::Record record =
          train::record_of(state.step, compute(found.aux), std::move(found.scalars));
      if (!record.empty()) {
        eval.writer->write(record);
        eval.writer->flush();
      }
      eval.runner->written(record);
      if (options_.on_event) {
        options_.on_event({.kind = train::Event::Kind::write,
                           .step = state.step,
                           .collection = eval.name,
                           .record = &record});
      }
      results_[eval.name] = std::move(found.aux);
    } catch (const std::exception& e) {
      eval.failure =
          "evals." + eval.name + ": " + e.what() + " (step " + std::to_string(state.step) + ")";
    }
  }
  fail_if_all_failed();
}

void Job::fail_if_all_failed() const {
  if (std::ranges::all_of(evals_, [](auto& eval) { return !eval.failure.empty(); })) finish();
}

void Job::finish() const {
  std::vector<std::string> failures;
  for (auto& eval : evals_) {
    if (!eval.failure.empty()) failures.push_back(eval.failure);
  }
  if (!failures.empty()) throw Error(ErrorKind::value, base::join(failures, "\n"));
  for (auto& eval : evals_) {
    if (eval.writer && !stopped()) eval.writer->finish();
  }
}

// As the training job wrote it; a job that only evaluates may know it from its own data. None when
// it is time to stop.
std::optional<Tree> Job::element_spec() {
  const fs::path file = workdir_ / "element_spec.json";
  if (trainer_.setup.eval_only && !fs::exists(file)) {
    return open_train_data(trainer_).element_spec;
  }
  if (!fs::exists(file)) {
    writers::print_line("waiting for " + file.string() + ", which the training writes");
  }
  while (!fs::exists(file)) {
    if (stopped()) return {};
    sleep();
  }
  const std::string text = read_file(file);
  try {
    return writers::parse_element_spec(text);
  } catch (const Error& e) {
    throw Error(e.kind(), file.string() + ": " + e.what() +
                              "; a new run of the same config writes a good one");
  }
}

// None when it was removed meanwhile: a newer one is there.
std::optional<TrainState> Job::restore(ckpts::Manager& checkpoints, const TrainState& state,
                                       std::int64_t step) {
  try {
    TrainState out =
        restored_from(checkpoints.place_of(step), state, checkpoints.restore(step).state);
    if (out.step == step) return out;
    throw Error(ErrorKind::value,
                "checkpoint " + std::to_string(step) + " is of step " + std::to_string(out.step));
  } catch (const Error&) {
    const std::vector<std::int64_t> there = checkpoints.all_steps();
    if (std::ranges::find(there, step) != there.end()) throw;
    return {};
  }
}

void Job::follow(TrainState state, const fs::path& folder, const Poly<Checkpoints>& options) {
  const fs::path complete = folder / train::kCompleteFile;
  ckpts::Manager checkpoints(options, folder, /*read_only=*/true);
  std::optional<std::int64_t> last;
  std::optional<TrainState> newest;
  OwnCopy copy(trainer_.setup.preemptable_eval, own_folder_);
  auto evaluate_newest = [&] {
    last = newest->step;
    evaluate(Where::every_checkpoint, *newest);
    copy.remove();
  };
  newest = copy.unfinished(state);
  if (newest) evaluate_newest();
  Clock::time_point news = Clock::now();
  while (!stopped()) {
    // Before looking for checkpoints: none comes after it.
    const bool is_complete = fs::exists(complete);
    const auto step = checkpoints.latest_step();
    if (step && (!last || *step > *last)) {
      newest = restore(checkpoints, state, *step);
      if (!newest) continue;
      copy.keep(*newest);
      evaluate_newest();
      news = Clock::now();
      continue;
    }
    const double quiet = std::chrono::duration<double>(Clock::now() - news).count();
    if (is_complete && quiet >= options_.quiet_seconds) break;
    sleep();
  }
  if (newest && !stopped()) note_unsaved(folder, newest->step);
  if (newest && any(Where::last_checkpoint) && !stopped()) {
    evaluate(Where::last_checkpoint, *newest);
  }
}

// Of a run of evaluators alone: the run whose checkpoints they evaluate.
std::optional<std::string> Job::named_run() const {
  const Poly<InitTransform>& transform = trainer_.init_transform;
  if (!transform) return {};
  return ops_of(transform).source_run(transform.object().get());
}

std::string Job::source_run() const {
  if (const auto run = named_run()) return *run;
  throw Error(ErrorKind::value, "init_transform",
              "to follow the checkpoints of another run it must be a PartialKauldronLoader, or a "
              "transform with source_run()");
}

std::map<std::string, AuxState> Job::run() {
  const bool eval_only = trainer_.setup.eval_only;
  if (eval_only) fs::create_directories(workdir_);
  const bool discard = std::ranges::all_of(evals_, [](auto& eval) { return eval.discard_opt; });
  const std::optional<Tree> spec = element_spec();
  if (!spec) return {};
  const TrainState state = init_state(
      trainer_, {.skip_transforms = !eval_only, .skip_optimizer = discard, .element_spec = *spec});
  const Poly<Checkpoints> folders = ckpts::Checkpointer{.save_interval_steps = 1};
  if (eval_only && !any(Where::every_checkpoint)) {
    const auto run = named_run();
    const auto step =
        run ? ckpts::Manager(folders, *run, /*read_only=*/true).latest_step() : std::nullopt;
    if (step) note_unsaved(*run, *step);
    evaluate(Where::last_checkpoint, state);
  } else if (eval_only) {
    follow(state, source_run(), folders);
  } else {
    follow(state, workdir_, trainer_.checkpointer ? trainer_.checkpointer : folders);
  }
  finish();
  return std::move(results_);
}

}  // namespace

bool has_own_job(Where where) {
  return where == Where::every_checkpoint || where == Where::last_checkpoint;
}

Where where(const Trainer& trainer, const Poly<RunStrategy>& run) {
  const Where out = where(run);
  return trainer.setup.eval_only && !has_own_job(out) ? Where::last_checkpoint : out;
}

std::map<std::string, AuxState> continuous_eval(const Trainer& trainer,
                                                const std::vector<std::string>& names,
                                                const ContinuousOptions& options) {
  Job job(trainer, names, options);
  try {
    return job.run();
  } catch (const Stopped&) {
    return job.results();
  }
}

}  // namespace kd::evals
