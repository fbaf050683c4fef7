// A run whose data, model, losses and optimizer are all a user's own: each says on the console that
// it was called. cli/own_test.cc runs it.
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include "kd/run.h"
#include "tests/own/called.h"
using namespace kd;

struct Ramps {
  int n = 8;  // how many
  std::int64_t size() const { return n; }
  Tree record(std::int64_t i) const {
    called("Source");
    const double height = static_cast<double>(i) / n;
    return Tree::dict({{"x", at::full({3, 2}, height, at::kFloat)},
                       {"y", at::full({1}, 2 * height, at::kFloat)}});
  }
};
KD_COMPONENT(kd::Source, Ramps);

struct Double {
  Tree map(Tree record) const {
    called("Transform");
    record["x"] = Tree(record["x"].tensor() * 2);
    return record;
  }
};
KD_COMPONENT(kd::Transform, Double);

struct FirstBatches {
  Poly<Pipeline> ds = {};  // of these
  int n = 100;             // how many
  data::Dataset open(const data::Process& process) const {
    called("Pipeline");
    return data::open(ds, process).take(n);
  }
};
KD_COMPONENT(kd::Pipeline, FirstBatches);

struct Fill {
  double value = 0.1;
  Tensor make(const random::Key&, at::IntArrayRef shape, at::ScalarType dtype) const {
    called("Initializer");
    return at::full(shape, value, dtype);
  }
};
KD_COMPONENT(kd::Initializer, Fill);

struct Adder : nn::Module<Adder> {
  int features = 2;  // size of the state

  static constexpr std::string_view call_names[] = {"carry", "inputs"};
  std::pair<Tensor, Tensor> call(const Tensor& carry, const Tensor& inputs) const {
    Tensor next = carry + inputs;
    return {next, next};
  }
  Tensor initialize_carry(const random::Key&, nn::CellShape shape) const {
    called("RnnCell");
    return at::zeros({shape[0], features}, at::kFloat);
  }
  int num_feature_axes() const { return 1; }
};
KD_COMPONENT(kd::Module, Adder);
KD_IMPLEMENT(kd::nn::RnnCell, Adder);

struct Reader : nn::Module<Reader> {
  Key x = Key::required();               // (batch, time, features)
  Poly<kd::Module> cell = Adder{};       // what runs over time
  Poly<Initializer> head_init = Fill{};  // of the last layer
  Tree call(const Tensor& x) const {
    called("Module");
    const Tensor sums = nn::named("rnn", nn::RNN{.cell = cell})(x);
    return Tree::dict({{"y", nn::named("head", nn::Dense{.features = 1, .kernel_init = head_init})(
                                 sums.select(1, -1))}});
  }
};
KD_COMPONENT(kd::Module, Reader);

struct L4 {
  Key preds = Key::required();
  Key targets = Key::required();
  Tensor get_values(const Tensor& preds, const Tensor& targets) const {
    called("Loss");
    return (preds - targets).pow(4);
  }
};
KD_COMPONENT(kd::Loss, L4);

struct Mean {
  Key tensor = Key::required();
  metrics::AverageState get_state(const Tensor& tensor) const {
    called("Metric");
    return metrics::AverageState::from_values(tensor);
  }
};
KD_COMPONENT(kd::Metric, Mean);

struct PictureState {
  metrics::SumField sum = 0.0;
  Tensor compute() const { return sum.tensor().clamp(0, 1).reshape({1, 3, 2, 1}); }
};

struct Picture {
  Key image = Key::required();
  PictureState get_state(const Tensor& image) const {
    called("Summary");
    return {.sum = image.mean(0)};
  }
};
KD_COMPONENT(kd::Summary, Picture);

struct Halving {
  double first = 0.1;
  double operator()(std::int64_t step) const {
    called("ScheduleFn");
    return first / static_cast<double>(step + 1);
  }
};
KD_COMPONENT(kd::ScheduleFn, Halving);

struct Descend {
  double rate = 0.1;
  Tree update(const Tree& grads) const {
    called("Optimizer");
    return kd::map(grads, [&](const Tensor& g) { return g * -rate; });
  }
};
KD_COMPONENT(kd::Optimizer, Descend);

struct Kernels {
  bool operator()(const std::string& path) const {
    called("MaskFn");
    return path.ends_with("kernel");
  }
};
KD_COMPONENT(kd::MaskFn, Kernels);

struct LastName {
  std::string operator()(const std::string& path) const {
    called("LabelFn");
    return path.substr(path.rfind('.') + 1);
  }
};
KD_COMPONENT(kd::LabelFn, LastName);

struct NeverSkip {
  optim::Skip operator()(const Tree&) const {
    called("SkipFn");
    return {.skip = false};
  }
};
KD_COMPONENT(kd::SkipFn, NeverSkip);

// checkpoints.md
struct FirstAndLast {
  std::vector<bool> kept(const std::vector<ckpts::Info>& infos) const {
    called("PreservationPolicy");
    std::vector<bool> out(infos.size(), false);
    out.front() = out.back() = true;
    return out;
  }
};
KD_COMPONENT(kd::PreservationPolicy, FirstAndLast);

static Config<train::Trainer> get_config() {
  Config<train::Trainer> cfg;
  cfg.train_ds = FirstBatches{.ds = data::py::DataSource{.data_source = Ramps{},
                                                         .shuffle = false,
                                                         .transforms = {Double{}},
                                                         .batch_size = 4,
                                                         .num_workers = 0}};
  cfg.model = Reader{.x = "batch.x"};
  cfg.num_train_steps = 4;
  cfg.log_metrics_every = 2;
  cfg.log_summaries_every = 2;
  cfg.train_losses["l4"] = L4{.preds = "preds.y", .targets = "batch.y"};
  cfg.train_metrics["mean"] = Mean{.tensor = "preds.y"};
  cfg.train_summaries["picture"] = Picture{.image = "batch.x"};
  cfg.schedules["rate"] = Halving{};
  cfg.optimizer = optim::MultiSteps{
      .opt = optim::Chain{{optim::Masked{.inner = Descend{}, .mask = Kernels{}},
                           optim::Partition{.transforms = {{"kernel", optim::Identity{}},
                                                           {"bias", optim::SetToZero{}}},
                                            .param_labels = LastName{}}}},
      .every_k_schedule = 2,
      .should_skip_update_fn = NeverSkip{}};
  cfg.checkpointer =
      ckpts::Checkpointer{.save_interval_steps = 1, .preservation_policy = FirstAndLast{}};
  return cfg;
}
KONFIG_EXPORT(get_config)
