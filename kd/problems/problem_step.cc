// Problems that compute: their step, their validation, and what they save.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <c10/util/Exception.h>

#include <map>
#include <mutex>

#include "kd/core/ops.h"
#include "kd/data/engine/pipeline.h"
#include "kd/evals/engine/evaluator.h"
#include "kd/exports/engine/model.h"
#include "kd/problems/problem_impl.h"
#include "kd/problems/steps.h"
#include "kd/problems/storage.h"
#include "kd/problems/validation.h"
#include "kd/train/engine/train_step.h"
#include "konfig/error.h"
#include "tfimm/train/formats.h"
#include "tfimm/train/registry.h"

namespace kd::problems {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using train::StepResult;
using train::StepRun;
using train::TrainState;

namespace {

// The config of a class from its fields.
Any config_of(const std::string& name, const ConfigDict& fields) {
  return Any::from_value(tfimm::train::from_dict(
      tfimm::train::get_cfg_class(name),
      tfimm::train::to_cls_format(fields.to_dict(), *tfimm::train::get_cfg_class(name))));
}

// What only the whole has.
Tree rest_of(const Tree& all, const Tree& model) {
  Tree out = Tree::dict();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!model.contains(all.name(i))) out[all.name(i)] = all.child(i);
  }
  return out;
}

void assign(const Tree& to, const Tree& from) {
  at::NoGradGuard no_grad;
  zip_map(to, from,
          [](const Tensor& t, const Tensor& f) {
            if (!t.is_alias_of(f)) t.copy_(f);
            return t;
          },
          {"the problem's variables", "the state"});
}

// What a member of a problem gives. What it throws says which member that is; libtorch's frames are
// left out.
template <class F>
auto calling(const std::string& problem_class, const std::string& member, const F& f)
    -> decltype(f()) {
  const std::string place = problem_class + "::" + member + ": ";
  try {
    return f();
  } catch (const Error&) {
    throw;
  } catch (const c10::Error& e) {
    throw Error(ErrorKind::value, place + e.what_without_backtrace());
  } catch (const std::exception& e) {
    throw Error(ErrorKind::value, place + e.what());
  }
}

// The problems that are trained now, by the folders of their runs.
struct Trained {
  std::mutex mutex;
  std::map<std::filesystem::path, std::weak_ptr<ProblemBase>> problems;
  std::weak_ptr<ProblemBase>& in(const std::filesystem::path& workdir) {
    return problems[std::filesystem::absolute(workdir).lexically_normal()];
  }
};
Trained& trained() {
  static Trained all;
  return all;
}

// The problem that is trained in a folder, so that validation and save_model see the members that
// train_step changed; nullptr: none is, as in a process that only evaluates.
std::shared_ptr<ProblemBase> trained_in(const std::filesystem::path& workdir) {
  const std::scoped_lock lock(trained().mutex);
  return trained().in(workdir).lock();
}

}  // namespace

std::shared_ptr<ProblemBase> make_problem(const std::string& problem_class,
                                          const ConfigDict& problem,
                                          const ConfigDict& timekeeping) {
  const auto cls = tfimm::train::get_class(problem_class);
  const auto& arities = tfimm::train::find_entry(problem_class)->arities;
  const Any cfg = config_of(problem_class, problem);
  const bool takes_time = std::ranges::find(arities, std::size_t{1}) != arities.end();
  return calling(problem_class, "its constructor", [&] {
    if (!takes_time) return cls(cfg).share<ProblemBase>();
    Timekeeping time = tfimm::train::from_dict<Timekeeping>(timekeeping.to_dict());
    return cls(cfg, time).share<ProblemBase>();
  });
}

std::shared_ptr<DatasetBase> make_dataset(const std::string& dataset_class,
                                          const ConfigDict& dataset) {
  return tfimm::train::get_class(dataset_class)(config_of(dataset_class, dataset))
      .share<DatasetBase>();
}

TrainState with_variables(TrainState state, ProblemBase& problem) {
  state.params = problem.ckpt_variables(/*model_only=*/true);
  state.step_state = rest_of(problem.ckpt_variables(/*model_only=*/false), state.params);
  return state;
}

void load_variables(ProblemBase& problem, const Tree& params, const Tree& rest) {
  const Tree model = problem.ckpt_variables(/*model_only=*/true);
  assign(model, params);
  if (!rest.is_none()) assign(rest_of(problem.ckpt_variables(/*model_only=*/false), model), rest);
}

TrainState ProblemStep::init(StepRun& run, TrainState state) const {
  auto made = make_problem(*problem_class, problem, timekeeping);
  run.kept() = made;
  if (const auto& workdir = run.trainer().workdir) {
    const std::scoped_lock lock(trained().mutex);
    if (auto& found = trained().in(*workdir); found.expired()) found = made;
  }
  return with_variables(std::move(state), *made);
}

StepResult ProblemStep::step(StepRun& run, TrainState state, const Tree& batch,
                             const train::Returns&) const {
  auto& computing = *std::static_pointer_cast<ProblemBase>(run.kept());
  auto call = [&, now = state.step](const std::string& member, const auto& f) {
    return calling(*problem_class, member + " (step " + std::to_string(now) + ")", f);
  };
  const auto place = run.place();
  // After a restore the state's tensors are others than the problem's.
  call("ckpt_variables", [&] { load_variables(computing, state.params, state.step_state); });
  if (place.it == 0) call("start_epoch", [&] { computing.start_epoch(); });
  const Logs logs = call("train_step", [&] { return computing.train_step(batch, place.it); });
  StepResult out;
  out.state = call("ckpt_variables", [&] { return with_variables(std::move(state), computing); });
  out.state.step += 1;
  out.loss = logs.value;
  const train::Context context{.step = out.state.step - 1, .batch = batch};
  run.check_loss(context, logs.value);
  out.aux.scalars = logs.metrics;
  out.aux.scalars.emplace_back("epoch", static_cast<double>(run.place().epoch));
  return out;
}

namespace {

// Batches of one pass.
data::Dataset one_pass(const Poly<Pipeline>& pipeline) {
  const data::Dataset dataset = data::open(pipeline);
  if (!dataset.is_infinite()) return dataset.device_put();
  const auto pass = dataset.impl()->pass_size();
  if (pass) return dataset.take(*pass).device_put();
  throw Error(ErrorKind::value, "ds",
              "the data never ends; validation needs a dataset without repeat");
}

class ProblemValidationRun final : public evals::EvaluatorRun {
 public:
  ProblemValidationRun(std::string problem_class, std::shared_ptr<ProblemBase> problem,
                       data::Dataset dataset)
      : problem_class_(std::move(problem_class)),
        problem_(std::move(problem)),
        dataset_(std::move(dataset)) {}
  evals::Evaluation evaluate(TrainState state, std::int64_t) override {
    load_variables(*problem_, state.params, state.step_state);
    evals::Evaluation out;
    auto found =
        calling(problem_class_, "validation", [&] { return problem_->validation(dataset_); });
    if (found) out.scalars = found->metrics;
    return out;
  }

 private:
  std::string problem_class_;
  std::shared_ptr<ProblemBase> problem_;
  data::Dataset dataset_;
};

}  // namespace

std::unique_ptr<evals::EvaluatorRun> ProblemValidation::open(const train::Trainer& trainer,
                                                             const std::string&) const {
  auto* step = trainer.trainstep.get_if<ProblemStep>();
  if (!step) throw Error(ErrorKind::type, "trainstep", "ProblemValidation needs a ProblemStep");
  auto problem = trained_in(trainer.workdir.value_or(""));
  if (!problem) problem = make_problem(*step->problem_class, step->problem, step->timekeeping);
  return std::make_unique<ProblemValidationRun>(*step->problem_class, std::move(problem),
                                                one_pass(ds));
}

void SaveProblem::export_model(const exports::Model& model,
                               const std::filesystem::path& workdir) const {
  auto saved = trained_in(workdir);
  if (!saved) saved = make_problem(*problem_class, problem, timekeeping);
  load_variables(*saved, model.params(), Tree());
  calling(*problem_class, "save_model", [&] { saved->save_model(workdir); });
}

}  // namespace kd::problems
