// The validation of the shipped problems.
#include "kd/problems/validation.h"

#include "kd/core/ops.h"
#include "kd/data/engine/dataset.h"
#include "kd/evals/engine/evaluator.h"
#include "kd/exports/engine/model.h"
#include "kd/problems/modules.h"
#include "kd/problems/problem_impl.h"
#include "kd/train/engine/auxiliaries.h"
#include "kd/train/trainer.h"
#include "kd/train/within.h"
#include "kd/writers/progress.h"
#include "konfig/error.h"

namespace kd::problems {

using evals::Evaluation;
using konfig::Error;
using konfig::ErrorKind;
using train::TrainState;

namespace {

// An evaluator of kd whose values are logged by their names alone.
class ByName final : public evals::EvaluatorRun {
 public:
  explicit ByName(std::unique_ptr<evals::EvaluatorRun> inner) : inner_(std::move(inner)) {}
  Evaluation evaluate(TrainState state, std::int64_t step) override {
    inner_->stop_if([this] {
      throw_if_stopped();
      return false;
    });
    const train::AuxValues values = compute(inner_->evaluate(std::move(state), step).aux);
    Evaluation out;
    for (auto& [name, value] : values.metrics) {
      out.scalars.emplace_back(name.substr(name.find('/') + 1), value);
    }
    return out;
  }
  void check(const TrainState& state) override { inner_->check(state); }

 private:
  std::unique_ptr<evals::EvaluatorRun> inner_;
};

// By a dataset, of the student.
class ByDataset final : public evals::EvaluatorRun {
 public:
  ByDataset(std::shared_ptr<DatasetBase> dataset, Poly<Module> model)
      : dataset_(std::move(dataset)),
        validating_(dynamic_cast<const ValidatingDataset*>(dataset_.get())),
        student_(model.as<Distilled>().student) {}
  Evaluation evaluate(TrainState state, std::int64_t) override {
    if (!validating_) return {};
    Tree collections = Tree::dict();
    for (std::size_t i = 0; i < state.collections.size(); ++i) {
      if (const Tree* own = state.collections.child(i).find("student")) {
        collections[state.collections.name(i)] = *own;
      }
    }
    const Model model(student_, state.params.at("student"), collections, Tree());
    Evaluation out;
    out.scalars = validating_
                      ->validation([&](const Tensor& images) {
                        return model(Tree::dict({{"image", images}})).at("logits").tensor();
                      })
                      .metrics;
    return out;
  }

 private:
  std::shared_ptr<DatasetBase> dataset_;
  const ValidatingDataset* validating_;
  Poly<Module> student_;
};

}  // namespace

std::unique_ptr<evals::EvaluatorRun> Validation::open(const train::Trainer& trainer,
                                                      const std::string& key) const {
  const data::Dataset dataset = train::within("ds", [&] { return data::open(ds); });
  evals::Evaluator inner{.name = key, .run = run, .ds = ds};
  if (dataset.is_infinite()) {
    const auto pass = dataset.impl()->pass_size();
    if (!pass) {
      throw Error(ErrorKind::value, "ds",
                  "the data never ends; validation needs a dataset without repeat");
    }
    inner.num_batches = static_cast<int>(*pass);
  }
  inner.losses = Map<Poly<Loss>>();
  inner.metrics = trainer.train_metrics;
  inner.summaries = Map<Poly<Summary>>();
  inner.model = trainer.model;
  inner.writer = *writer;
  return std::make_unique<ByName>(inner.open(trainer, key));
}

std::unique_ptr<evals::EvaluatorRun> DatasetValidation::open(const train::Trainer& trainer,
                                                             const std::string&) const {
  auto made = make_dataset(*dataset_class, dataset);
  if (!dynamic_cast<const ValidatingDataset*>(made.get())) {
    writers::print_line("warning: val_dataset: " + *dataset_class +
                        " does not validate embeddings, so nothing is validated; a class that "
                        "does is a problems::ValidatingDataset");
  }
  return std::make_unique<ByDataset>(std::move(made), trainer.model);
}

}  // namespace kd::problems
