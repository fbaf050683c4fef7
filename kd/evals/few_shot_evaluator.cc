// FewShotEvaluator: features of the model for three datasets, then ridge regression.
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include "base/shape_text.h"
#include "kd/evals/few_shot_impl.h"
#include "kd/evals/model_run_impl.h"
#include "kd/evals/special_evaluators.h"
#include "konfig/error.h"
#include "konfig/suggest.h"
#include "kontext/get.h"

namespace kd::evals {

using konfig::Error;
using konfig::ErrorKind;

namespace {

constexpr const char* kFields[] = {"ds_train", "ds_val", "ds_test"};

// Parts of a dataset by name of the features; the labels are the same for all.
struct Parts {
  std::map<std::string, std::vector<Tensor>> features;
  std::vector<Tensor> labels;
};

bool looks_at_interms(const FewShotEvaluator& evaluator) {
  std::vector<std::string> roots;
  konfig::Dict keys{{"label_name", *evaluator.label_name}};
  konfig::Dict features;
  for (auto& [name, key] : evaluator.repr_names) features.set(name, key);
  keys.set("repr_names", features);
  train::add_roots(roots, keys);
  return std::find(roots.begin(), roots.end(), "interms") != roots.end();
}

class FewShotRun final : public EvaluatorRun {
 public:
  FewShotRun(const FewShotEvaluator& evaluator, const train::Trainer& trainer)
      : evaluator_(evaluator),
        seeds_(evaluator.seed ? evaluator.seed->list() : std::vector<int>{trainer.seed}),
        run_(trainer.model, trainer.rng_streams, looks_at_interms(evaluator)) {
    const Poly<Pipeline>* pipelines[] = {&evaluator_.ds_train, &evaluator_.ds_val,
                                         &evaluator_.ds_test};
    for (std::size_t i = 0; i < std::size(pipelines); ++i) {
      if (!*pipelines[i]) throw Error(ErrorKind::required, kFields[i], "there is no data; set it");
      datasets_.push_back(data::open(*pipelines[i]).device_put());
      if (datasets_[i].is_infinite()) {
        throw Error(ErrorKind::value, kFields[i], "it never ends; set num_epochs=1");
      }
    }
    expect_some("num_shots", evaluator_.num_shots.size());
    expect_some("l2_regs", evaluator_.l2_regs.size());
    expect_some("repr_names", evaluator_.repr_names.size());
    expect_some("seed", seeds_.size());
    std::vector<std::string> names;
    for (auto& [name, key] : evaluator_.repr_names) names.push_back(name);
    if (!evaluator_.repr_names.find(evaluator_.selected_repr)) {
      throw Error(ErrorKind::key, "selected_repr",
                  "'" + evaluator_.selected_repr + "' is not among repr_names" +
                      konfig::did_you_mean(evaluator_.selected_repr, names));
    }
  }

  Evaluation evaluate(train::TrainState state, std::int64_t) override {
    if (evaluator_.discard_opt) state.opt_state = Tree();
    const Parts train = parts_of(state, 0), val = parts_of(state, 1), test = parts_of(state, 2);
    Evaluation out;
    for (auto& [name, key] : evaluator_.repr_names) {
      add_accuracies(out, name, joined(train, name), joined(val, name), joined(test, name));
    }
    return out;
  }

  void check(const train::TrainState& state) override {
    for (std::size_t i = 0; i < datasets_.size(); ++i) {
      Parts parts;
      try {
        run_.on_zeros(state, datasets_[i].element_spec(),
                      [&](train::Context& context) { collect(parts, context); });
      } catch (const Error& e) {
        throw e.with(fmt::format(" (a batch of {})", kFields[i]));
      }
    }
  }

 private:
  static void expect_some(const char* field, std::size_t size) {
    if (size == 0) throw Error(ErrorKind::required, field, "expected at least one");
  }

  Parts parts_of(const train::TrainState& state, std::size_t which) const {
    Parts out;
    std::int64_t i = 0;
    for (const Tree& batch : datasets_[which]) {
      run_.on_batch(state, batch, i++, [&](train::Context& context) { collect(out, context); });
    }
    if (out.labels.empty()) throw Error(ErrorKind::value, kFields[which], "it has no batch");
    return out;
  }

  void collect(Parts& out, const train::Context& context) const {
    const Tensor labels = value_of(context, "label_name", *evaluator_.label_name);
    out.labels.push_back(labels.reshape({-1}));
    for (auto& [name, key] : evaluator_.repr_names) {
      const std::string field = "repr_names." + name;
      const Tensor features = value_of(context, field, key);
      if (features.dim() != 2 || features.size(0) != labels.numel()) {
        throw Error(ErrorKind::value, field,
                    fmt::format("expected features of shape ({}, n), one row for each label, got "
                                "{}",
                                labels.numel(), base::shape_text(features.sizes())));
      }
      out.features[name].push_back(features.cpu());
    }
  }

  static Tensor value_of(const train::Context& context, const std::string& field,
                         const std::string& key) {
    try {
      return kontext::get_by_path<Tensor>(context, key);
    } catch (const Error& e) {
      throw e.within(field);
    }
  }

  static Examples joined(const Parts& parts, const std::string& name) {
    return {.features = at::cat(parts.features.at(name)), .labels = at::cat(parts.labels)};
  }

  void add_accuracies(Evaluation& out, const std::string& name, const Examples& train,
                      const Examples& val, const Examples& test) const {
    const std::string& prefix = *evaluator_.metric_prefix;
    const auto& l2_regs = evaluator_.l2_regs;
    for (int shots : evaluator_.num_shots) {
      std::vector<double> on_val(l2_regs.size()), on_test(l2_regs.size());
      for (int seed : seeds_) {
        const Tensor rows =
            at::tensor(choose_examples(train.labels, *evaluator_.num_classes, shots, seed));
        const Ridge ridge(
            {train.features.index_select(0, rows), train.labels.index_select(0, rows)},
            *evaluator_.num_classes);
        const auto n = static_cast<double>(seeds_.size());
        for (std::size_t i = 0; i < l2_regs.size(); ++i) {
          on_val[i] += ridge.accuracy(val, l2_regs[i]) / n;
          on_test[i] += ridge.accuracy(test, l2_regs[i]) / n;
        }
      }
      const auto best = std::max_element(on_val.begin(), on_val.end()) - on_val.begin();
      const double accuracy = on_test[static_cast<std::size_t>(best)];
      if (name == evaluator_.selected_repr) {
        out.scalars.emplace_back(fmt::format("metrics/{}-{}shot", prefix, shots), accuracy);
      }
      out.scalars.emplace_back(fmt::format("z_fewshot_all/{}-{}-{}shot", prefix, name, shots),
                               accuracy);
      for (std::size_t i = 0; i < l2_regs.size(); ++i) {
        out.scalars.emplace_back(
            fmt::format("z_fewshot_all/z_{}-{}-{}shot-{:.5f}", prefix, name, shots, l2_regs[i]),
            on_test[i]);
      }
    }
  }

  FewShotEvaluator evaluator_;
  std::vector<int> seeds_;
  ModelRun run_;
  std::vector<data::Dataset> datasets_;  // train, val, test
};

}  // namespace

std::unique_ptr<EvaluatorRun> FewShotEvaluator::open(const train::Trainer& trainer,
                                                     const std::string&) const {
  return std::make_unique<FewShotRun>(*this, trainer);
}

}  // namespace kd::evals
