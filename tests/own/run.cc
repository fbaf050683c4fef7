// A run whose parts around the step are all a user's own: each says on the console that it was
// called. cli/own_test.cc runs it.
#include <ATen/ops/full.h>

#include <cstdio>
#include <fstream>
#include <map>

#include "kd/run.h"
#include "tests/own/called.h"
using namespace kd;

struct Fours {
  std::int64_t size() const { return 4; }
  Tree record(std::int64_t i) const {
    return Tree::dict({{"image", at::full({2, 2, 1}, 0.1 * static_cast<double>(i), at::kFloat)}});
  }
};
KD_COMPONENT(kd::Source, Fours);

// evals.md
struct OddSteps {
  bool should_eval_in_train(std::int64_t step) const {
    called("RunStrategy");
    return step % 2 == 1;
  }
};
KD_COMPONENT(kd::RunStrategy, OddSteps);

struct LargestParameter {
  Poly<RunStrategy> run;  // when and where

  class Run : public evals::EvaluatorRun {
    evals::Evaluation evaluate(train::TrainState state, std::int64_t) override {
      called("Evaluator");
      double most = 0;
      for (const Tensor& tensor : leaves(state.params)) {
        most = std::max(most, tensor.abs().max().item<double>());
      }
      return {.scalars = {{"metrics/largest", most}}};
    }
  };
  std::unique_ptr<evals::EvaluatorRun> open(const train::Trainer&, const std::string&) const {
    return std::make_unique<Run>();
  }
};
KD_COMPONENT(kd::Evaluator, LargestParameter);

// checkpoints.md
struct InMemory {
  int every = 10;  // steps between checkpoints

  class Store : public ckpts::Store {
   public:
    explicit Store(int every) : every_(every) {}
    std::vector<std::int64_t> all_steps() const override {
      std::vector<std::int64_t> steps;
      for (auto& [step, snapshot] : saved_) steps.push_back(step);
      return steps;
    }
    bool should_save(std::int64_t step) const override { return step % every_ == 0; }
    void save(std::int64_t step, const ckpts::Snapshot& snapshot, const konfig::Value&,
              bool) override {
      called("Checkpoints");
      saved_[step] = snapshot;
      saved_[step].state = map(snapshot.state, [](const Tensor& t) { return t.clone(); });
    }
    ckpts::Snapshot restore(std::optional<std::int64_t> step) override {
      return saved_.at(step.value_or(saved_.rbegin()->first));
    }
    void remove(std::int64_t step) override { saved_.erase(step); }

   private:
    int every_;
    std::map<std::int64_t, ckpts::Snapshot> saved_;
  };
  std::unique_ptr<ckpts::Store> open(const std::filesystem::path&, bool) const {
    return std::make_unique<Store>(every);
  }
};
KD_COMPONENT(kd::Checkpoints, InMemory);

struct StartSmall {
  double factor = 0.5;
  Tree transform(Tree state) const {
    called("InitTransform");
    state["params"] = map(state["params"], [&](const Tensor& t) { return t * factor; });
    return state;
  }
};
KD_COMPONENT(kd::InitTransform, StartSmall);

// train.md
struct Twice {
  train::StepResult step(train::StepRun& run, train::TrainState state, const Tree& batch,
                         const train::Returns& returns) const {
    called("TrainStepFn");
    train::StepResult first = run.usual_step(std::move(state), batch, {});
    return run.usual_step(std::move(first.state), batch, returns);
  }
};
KD_COMPONENT(kd::TrainStepFn, Twice);

// writers.md
struct LossPrinter {
  class Writer : public writers::Writer {
   public:
    explicit Writer(std::string collection) : collection_(std::move(collection)) {}
    void write(const writers::Record& record) override {
      called("MetricWriter");
      for (auto& [name, value] : record.scalars) {
        if (!name.starts_with("losses/") && !name.starts_with("metrics/")) continue;
        std::printf("%s %lld %s %g\n", collection_.c_str(), static_cast<long long>(record.step),
                    name.c_str(), value);
      }
    }

   private:
    std::string collection_;
  };
  std::unique_ptr<writers::Writer> open(const std::filesystem::path&, const std::string& collection,
                                        std::optional<std::int64_t>) const {
    return std::make_unique<Writer>(collection);
  }
};
KD_COMPONENT(kd::MetricWriter, LossPrinter);

struct StepTimes {
  class Run : public inspect::ProfilerRun {
   public:
    explicit Run(const std::filesystem::path& file) : out_(file) {}
    void step(std::int64_t step) override {
      called("ProfilerFn");
      const auto now = std::chrono::steady_clock::now();
      out_ << step << "," << std::chrono::duration<double>(now - last_).count() << "\n";
      last_ = now;
    }

   private:
    std::ofstream out_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  };
  std::unique_ptr<inspect::ProfilerRun> open(const std::filesystem::path& workdir) const {
    return std::make_unique<Run>(workdir / "step_times.csv");
  }
};
KD_COMPONENT(kd::ProfilerFn, StepTimes);

struct ParameterList {
  void export_model(const Model& model, const std::filesystem::path& workdir) const {
    called("ExporterFn");
    std::ofstream out(workdir / "parameters.txt");
    for (auto& [path, tensor] : flatten(model.params())) out << path << "\n";
  }
};
KD_COMPONENT(kd::ExporterFn, ParameterList);

static Config<train::Trainer> get_config() {
  Config<train::Trainer> cfg;
  cfg.train_ds = data::py::DataSource{
      .data_source = Fours{}, .shuffle = false, .batch_size = 2, .num_workers = 0};
  cfg.model = nn::FlatAutoencoder{.inputs = "batch.image",
                                  .encoder = nn::Dense{.features = 3},
                                  .decoder = nn::Dense{.features = 4}};
  cfg.num_train_steps = 4;
  cfg.log_metrics_every = 2;
  cfg.train_losses["recon"] = losses::L2{.preds = "preds.image", .targets = "batch.image"};
  cfg.optimizer = optim::Sgd{.learning_rate = 0.1};
  cfg.evals["own"] = LargestParameter{.run = OddSteps{}};
  cfg.checkpointer = InMemory{.every = 2};
  cfg.init_transform = StartSmall{.factor = 0.25};
  cfg.trainstep = Twice{};
  cfg.writer = LossPrinter{};
  cfg.profiler = StepTimes{};
  cfg.exporter = ParameterList{};
  return cfg;
}
KONFIG_EXPORT(get_config)
