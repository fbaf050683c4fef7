// A problem of your own, and a dataset and a trainer for it: a line through points.
//   kd run --load=examples/tfimm/own_problem.cc --problem_class=LineProblem --problem.lr=0.1 ...
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>

#include "kd/problems/engine/problem.h"
#include "kd/problems/passes.h"
#include "kd/problems/single_gpu_trainer.h"
#include "kd/problems/storage.h"
#include "kd/run.h"

using namespace kd;

namespace line {

struct LineConfig {
  double lr = 0.1;  // the learning rate
};

// Fits y = slope * x. Nothing else is needed: the loop saves and restores `slope`.
struct LineProblem : problems::ProblemBase {
  using cfg_class = LineConfig;
  explicit LineProblem(const LineConfig& cfg) : cfg(cfg) {}

  problems::Logs train_step(const Tree& batch, std::int64_t) override {
    const Tensor x = batch.at("x").tensor(), error = slope * x - batch.at("y").tensor();
    slope -= cfg.lr * 2 * (error * x).mean();
    const double loss = error.square().mean().item<double>();
    return {.value = loss, .metrics = {{"loss", loss}}};
  }
  std::optional<problems::Logs> validation(const data::Dataset& ds) override {
    double sum = 0;
    for (const Tree& batch : ds) {
      sum += (slope * batch.at("x").tensor() - batch.at("y").tensor()).abs().sum().item<double>();
    }
    return problems::Logs{.value = sum, .metrics = {{"error", sum}}};
  }
  Tree ckpt_variables(bool) override { return Tree::dict({{"slope", slope}}); }

  LineConfig cfg;
  Tensor slope = at::full({}, 0.0);
};

// Points of y = 3 x.
struct Points {
  int n = 64;
  std::int64_t size() const { return n; }
  Tree record(std::int64_t i) const {
    const Tensor x = at::full({}, static_cast<double>(i) / n);
    return Tree::dict({{"x", x}, {"y", 3 * x}});
  }
};

struct PointsConfig {
  int n = 64;           // how many
  int batch_size = 16;  // of them in a batch
};
struct PointsDataset : problems::DatasetBase {
  using cfg_class = PointsConfig;
  explicit PointsDataset(const PointsConfig& cfg) : cfg(cfg) {}
  Poly<Pipeline> pipeline() const override {
    return problems::Passes{
        .source = Points{.n = cfg.n}, .shuffle = true, .batch_size = cfg.batch_size};
  }
  PointsConfig cfg;
};

// A trainer that keeps every checkpoint.
struct KeepAllTrainer : problems::SingleGPUTrainer {
  using SingleGPUTrainer::SingleGPUTrainer;
  void lower_into(train::Trainer& trainer, const problems::Experiment& of) const override {
    SingleGPUTrainer::lower_into(trainer, of);
    if (trainer.checkpointer) {
      trainer.checkpointer.as<problems::EpochCheckpointer>().max_to_keep = {};
    }
  }
};

}  // namespace line

KD_COMPONENT(kd::Source, line::Points);
CFG_SERIALIZABLE(line::LineProblem);
CFG_SERIALIZABLE(line::PointsDataset);
CFG_SERIALIZABLE(line::KeepAllTrainer);
