// Small runs for tests: data, a model, a config and what a run wrote. One source of a test program
// includes it.
#pragma once

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <map>

#include "base/temp_folder.h"
#include "kd/core/ops.h"
#include "kd/data/engine/dataset.h"
#include "kd/data/engine/records.h"
#include "kd/model.h"
#include "kd/train/engine/check.h"
#include "kd/train/engine/train.h"
#include "kd/train/engine/train_step.h"
#include "kd/writers/engine/writer.h"
#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/konfig.h"

namespace training_test {

using namespace kd;
namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using train::Event;
using train::Trainer;

// y = 2 x0 - x1, x on a grid; one record may be NaN.
struct Grid {
  int n = 40;
  int bad = -1;
  std::int64_t size() const { return n; }
  Tree record(std::int64_t i) const {
    float a = static_cast<float>(i % 7) / 7, b = static_cast<float>(i % 5) / 5;
    Tensor x = at::arange(2, at::kFloat) * (b - a) + a;
    if (i == bad) x = x * std::numeric_limits<float>::quiet_NaN();
    return Tree::dict({{"x", x}, {"y", (2 * x[0] - x[1]).reshape({1})}});
  }
};

struct Linear : nn::Module<Linear> {
  Key x = Key::required();
  double rate = 0.0;
  Tree call(const Tensor& x) const {
    Tensor h = nn::named("dropout", nn::Dropout{.rate = rate})(x);
    return Tree::dict({{"y", nn::named("dense", nn::Dense{.features = 1})(h)}});
  }
};

class Training : public ::testing::Test {
 protected:
  Config<Trainer> config(int steps = 12) const {
    Config<Trainer> cfg;
    cfg.seed = 3;
    cfg.workdir = (folder_ / "run").string();
    cfg.train_ds = dataset(true);
    cfg.eval_ds = dataset(false);
    cfg.model = Linear{.x = "batch.x", .rate = 0.25};
    cfg.num_train_steps = steps;
    cfg.log_metrics_every = 2;
    cfg.log_summaries_every = 6;
    cfg.train_losses["fit"] = losses::L2{.preds = "preds.y", .targets = "batch.y"};
    cfg.train_metrics["norm"] = metrics::Norm{.tensor = "params.dense.kernel", .axis = {}};
    cfg.optimizer = optim::Adam{.learning_rate = 0.05};
    cfg.checkpointer = ckpts::Checkpointer{.save_interval_steps = 5};
    cfg.evals["eval"] = evals::Evaluator{.run = evals::EveryNSteps{4}};
    cfg.writer = train::KDMetricWriter{.console = false};
    return cfg;
  }
  static data::py::DataSource dataset(bool training, int bad = -1) {
    return {.data_source = Grid{.bad = bad},
            .shuffle = training,
            .num_epochs = training ? std::nullopt : std::optional(1),
            .batch_size = 8,
            .num_workers = 2};
  }
  static std::shared_ptr<const Trainer> resolved(const Config<Trainer>& cfg) {
    return konfig::resolve<Trainer>(konfig::lower(cfg));
  }
  static std::string error_of(const Config<Trainer>& cfg) {
    return konfig::error_of([&] { train::train(*resolved(cfg)); });
  }

  // Everything but speeds that a run wrote: "train 4 losses/total 0.25".
  struct Log {
    std::map<std::string, std::map<std::int64_t, double>> values;
    std::vector<std::string> order;
    void operator()(const Event& e) {
      if (e.kind == Event::Kind::save) order.push_back("save " + std::to_string(e.step));
      if (e.kind != Event::Kind::write) return;
      order.push_back(std::string(e.collection) + " " + std::to_string(e.step));
      for (auto& [name, value] : e.record->scalars) {
        if (name.starts_with("perf_stats/")) continue;
        values[std::string(e.collection) + "/" + name][e.step] = value;
      }
    }
  };

  // Stops the run when this many steps are made.
  static train::RunOptions stop_after(int steps) {
    auto done = std::make_shared<int>(0);
    return {.should_stop = [done, steps] { return *done == steps; },
            .on_event = [done](const Event& e) { *done += e.kind == Event::Kind::done; }};
  }

  static bool same(const Tree& a, const Tree& b) {
    auto x = flatten(a), y = flatten(b);
    if (x.size() != y.size()) return false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i].first != y[i].first || !at::equal(x[i].second, y[i].second)) return false;
    }
    return true;
  }

  const base::TempFolder folder_;
};

}  // namespace training_test

KD_COMPONENT(kd::Source, training_test::Grid);
KD_COMPONENT(kd::Module, training_test::Linear);
