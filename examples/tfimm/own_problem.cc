// A problem of your own that computes by itself, and its data: a line through points.
//   kd run --load=examples/tfimm/own_problem.cc --problem_class=LineProblem --problem.lr=0.1 ...
// own_classes.cc has the other kinds of classes.
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>

#include "kd/problems/engine/problem.h"
#include "kd/problems/passes.h"
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

}  // namespace line

KD_COMPONENT(kd::Source, line::Points);
CFG_SERIALIZABLE(line::LineProblem);
CFG_SERIALIZABLE(line::PointsDataset);
