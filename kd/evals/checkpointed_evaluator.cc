// CheckpointedEvaluator: an evaluation that goes on where it was stopped.
#include <filesystem>

#include "kd/ckpts/engine/manager.h"
#include "kd/core/durable.h"
#include "kd/evals/model_run_impl.h"
#include "kd/evals/special_evaluators.h"
#include "kd/train/engine/check.h"
#include "kd/writers/engine/writer.h"
#include "konfig/copy_fields.h"
#include "konfig/error.h"
#include "konfig/json.h"

namespace kd::evals {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;
using train::AuxState;
using train::NamedStates;

namespace {

using Group = std::optional<NamedStates> AuxState::*;
constexpr std::pair<const char*, Group> kGroups[] = {{"losses", &AuxState::loss_states},
                                                     {"metrics", &AuxState::metric_states},
                                                     {"summaries", &AuxState::summary_states}};

Tree tree_of(const AuxState& aux) {
  Tree out = Tree::dict();
  for (auto& [name, group] : kGroups) {
    Tree states = Tree::dict();
    if (aux.*group) {
      for (auto& [key, state] : *(aux.*group)) states[key] = state.finalize().tree();
    }
    out[name] = std::move(states);
  }
  return out;
}

// `like` is of any batch: it tells the types.
AuxState with_tree(AuxState like, const Tree& tree) {
  for (auto& [name, group] : kGroups) {
    if (!(like.*group)) continue;
    for (auto& [key, state] : *(like.*group)) state = state.with_tree(tree[name][key]);
  }
  return like;
}

Evaluator usual_part(const CheckpointedEvaluator& e) {
  if (e.cache) throw Error(ErrorKind::type, "cache", "it is not possible here; leave it out");
  Evaluator out;
  konfig::copy_fields(e, out);
  return out;
}

class CheckpointedRun final : public EvaluatorRun {
 public:
  CheckpointedRun(const CheckpointedEvaluator& evaluator, const train::Trainer& trainer,
                  const std::string& name)
      : measuring_(usual_part(evaluator), trainer), checkpointer_(evaluator.checkpointer) {
    if (!checkpointer_) throw Error(ErrorKind::required, "checkpointer", "how often is it saved?");
    const auto own = ckpts::own_folder(checkpointer_);
    folder_ = own ? *own : fs::path(train::workdir_of(trainer)) / "evals" / name;
  }

  Evaluation evaluate(train::TrainState state, std::int64_t step) override {
    if (fs::exists(marker(step))) return {.scalars = numbers_of(marker(step))};
    state = measuring_.prepared(std::move(state));
    const fs::path folder = folder_of(step);
    ckpts::Manager checkpoints(ckpts::moved_to(checkpointer_, folder), folder);
    data::Iterator batches = measuring_.dataset().iterate();
    std::optional<AuxState> out;
    std::int64_t done = 0;
    if (checkpoints.latest_step()) {
      const ckpts::Snapshot saved = checkpoints.restore();
      const std::optional<Tree> first = measuring_.dataset().iterate().next();
      if (!first) fail_no_batch();
      out = with_tree(measuring_.states(state, *first, 1), saved.state);
      batches.restore(saved.items.at("ds_iter"));
      done = saved.step;
    }
    while (const std::optional<Tree> batch = batches.next()) {
      throw_if_stopped();
      ++done;
      AuxState one = measuring_.states(state, *batch, done);
      out = out ? merged(std::move(*out), one) : std::move(one);
      if (!checkpoints.should_save(done)) continue;
      ckpts::Snapshot snapshot{.state = tree_of(*out), .items = {}};
      snapshot.items["ds_iter"] = batches.state_value();
      checkpoints.save(done, snapshot);
    }
    if (!out) fail_no_batch();
    checkpoints.wait_until_finished();
    return {.aux = std::move(*out)};
  }

  // With its numbers: a run that goes on from before this step writes them again.
  void written(const writers::Record& record) override {
    konfig::Dict numbers;
    for (auto& [name, value] : record.scalars) numbers.set(name, value);
    fs::create_directories(folder_);
    replace_file(marker(record.step), konfig::to_json(numbers) + "\n");
    fs::remove_all(folder_of(record.step));
  }

  void check(const train::TrainState& state) override { measuring_.check(state); }

 private:
  fs::path folder_of(std::int64_t step) const { return folder_ / ("step_" + std::to_string(step)); }
  fs::path marker(std::int64_t step) const { return folder_of(step).string() + "_done"; }

  static std::vector<std::pair<std::string, double>> numbers_of(const fs::path& file) {
    std::vector<std::pair<std::string, double>> out;
    for (auto& [name, value] : konfig::parse_json(read_file(file)).as<konfig::Dict>()) {
      out.emplace_back(name.as<std::string>(), value.as<double>());
    }
    return out;
  }

  Measuring measuring_;
  Poly<Checkpoints> checkpointer_;
  fs::path folder_;
};

}  // namespace

std::unique_ptr<EvaluatorRun> CheckpointedEvaluator::open(const train::Trainer& trainer,
                                                          const std::string& key) const {
  return std::make_unique<CheckpointedRun>(*this, trainer, key);
}

}  // namespace kd::evals
