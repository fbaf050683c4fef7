// The code in the opening comments of headers about training: trees, optimizers, losses, metrics,
// steps and evaluations. tests/docs_test.cc holds the headers to it.
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros_like.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/temp_folder.h"
#include "kd/core/grad.h"
#include "kd/core/ops.h"
#include "kd/core/parallel.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/engine/records.h"
#include "kd/evals/engine/continuous_eval.h"
#include "kd/evals/engine/evaluator.h"
#include "kd/losses/engine/loss.h"
#include "kd/metrics/engine/average.h"
#include "kd/metrics/engine/metric.h"
#include "kd/model.h"
#include "kd/optim/engine/mask.h"
#include "kd/optim/engine/skip.h"
#include "kd/optim/engine/stepper.h"
#include "kd/optim/engine/transform.h"
#include "kd/optim/schedule.h"
#include "kd/train/chrono.h"
#include "kd/train/engine/auxiliaries.h"
#include "kd/train/engine/checkify.h"
#include "kd/train/engine/train.h"
#include "kd/train/engine/train_step.h"
#include "konfig/register.h"
#include "kontext/get.h"

// implement.h
class Shape;
struct ShapeOps {
  double (*area)(const void* shape);
};
template <>
struct kd::Implement<Shape> {
  using Ops = ShapeOps;
  template <class T>
  static constexpr Ops ops = {
      [](const void* shape) { return static_cast<const T*>(shape)->area(); }};
};
struct Square {
  double side = 1;
  double area() const { return side * side; }
};
struct Disc {
  double radius = 1;
  double area() const { return 3.14159 * radius * radius; }
};
KONFIG_LOCAL_COMPONENT(Shape, Square);
KD_IMPLEMENT(Shape, Square);
KD_COMPONENT(Shape, Disc);

namespace headers_train {

using namespace kd;
using namespace kd::metrics;

// fields.h, state.h, metric.h
struct RangeState {
  MinField lowest;
  MaxField highest;
  ConcatField<> all;
  StaticField<int> bins;
  AverageState mean;
};

struct S {
  SumField total = 0.0;
  Tree compute() const { return total.tree(); }
  S merge(const S& other) const { return {.total = total.tensor() + other.total.tensor()}; }
  S finalize() const { return *this; }
  Tree tree() const { return total.tree(); }
  S with_tree(const Tree& values) const { return {.total = values}; }
};

struct MeanBrightness {
  Key image = Key::required();
  std::optional<Key> mask = {};
  AverageState get_state(Float<"*b h w c"> image, std::optional<Array<"*b">> mask) const {
    return AverageState::from_values(image.mean({-3, -2, -1}), mask);
  }
};

// mask.h, schedule.h, skip.h, transform.h
struct Decayed {
  bool operator()(const std::string& path) const { return path.ends_with("kernel"); }
};
struct Halving {
  double init_value = 0.1;
  int period = 1000;
  double operator()(std::int64_t step) const {
    const std::int64_t halvings = step / period;
    return init_value * std::pow(0.5, static_cast<double>(halvings));
  }
};
struct SkipOutliers {
  double most = 10;
  optim::Skip operator()(const Tree& grads) const {
    return {.skip = leaves(grads).front().abs().max().item<double>() > most};
  }
};

struct MyTransformation {
  Tree update(const Tree& grads) const { return grads; }
};
struct WithParams {
  Tree update(const Tree& grads, const Tree& params) const {
    return zip_map(grads, params, [](const Tensor& g, const Tensor& p) { return g + p; });
  }
};
struct WithState {
  Tree init(const Tree& params) const {
    return map(params, [](const Tensor& p) { return at::zeros_like(p); });
  }
  optim::Update update(const Tree& grads, const Tree& state, const Tree& params) const {
    return {zip_map(grads, params, [](const Tensor& g, const Tensor&) { return g * 1; }), state};
  }
};
struct MadeOfOthers {
  Poly<Optimizer> expand() const { return optim::Sgd{.learning_rate = 1.0}; }
};
struct AroundAnother {
  Poly<Optimizer> inner = optim::Sgd{.learning_rate = 1.0};
  Tree init(const Tree& params) const { return optim::init(inner, params); }
  optim::Update update(const Tree& grads, const Tree& state, const Tree& params) const {
    return optim::update(inner, grads, state, params);
  }
  Poly<Optimizer> with_parts(const optim::ChangePart& change) const {
    return AroundAnother{.inner = change(inner)};
  }
  bool accepts_integers() const { return optim::accepts_integers(inner); }
};

// train_step.h, evaluator.h
struct MyStep {
  train::StepResult step(train::StepRun& run, train::TrainState state, const Tree& batch,
                         const train::Returns& returns) const {
    return run.usual_step(std::move(state), batch, returns);
  }
};
struct NoEvaluation : evals::EvaluatorRun {
  evals::Evaluation evaluate(train::TrainState, std::int64_t step) override {
    return {.scalars = {{"metrics/step", static_cast<double>(step)}}};
  }
};
struct MyEvaluator {
  Poly<RunStrategy> run = evals::EveryNSteps{2};
  std::unique_ptr<evals::EvaluatorRun> open(const train::Trainer& trainer,
                                            const std::string& name) const {
    EXPECT_TRUE(trainer.evals.contains(name));
    return std::make_unique<NoEvaluation>();
  }
};

struct Points {
  std::int64_t size() const { return 8; }
  Tree record(std::int64_t i) const {
    return Tree::dict({{"x", at::full({1}, static_cast<double>(i), at::kFloat)}});
  }
};

}  // namespace headers_train

using headers_train::Decayed;
using headers_train::Halving;
using headers_train::MeanBrightness;
using headers_train::MyEvaluator;
using headers_train::MyStep;
using headers_train::MyTransformation;
using headers_train::SkipOutliers;
KD_COMPONENT(kd::Metric, MeanBrightness);
KD_COMPONENT(kd::MaskFn, Decayed);
KD_COMPONENT(kd::ScheduleFn, Halving);
KD_COMPONENT(kd::SkipFn, SkipOutliers);
KD_COMPONENT(kd::Optimizer, MyTransformation);
KD_COMPONENT(kd::Optimizer, headers_train::WithParams);
KD_COMPONENT(kd::Optimizer, headers_train::WithState);
KD_COMPONENT(kd::Optimizer, headers_train::MadeOfOthers);
KD_COMPONENT(kd::Optimizer, headers_train::AroundAnother);
KD_COMPONENT(kd::TrainStepFn, MyStep);
KD_COMPONENT(kd::Evaluator, MyEvaluator);
KD_COMPONENT(kd::Source, headers_train::Points);

namespace headers_train {
namespace {

using ::testing::ElementsAre;

Tree dict_of(const std::string& name, const Tensor& tensor) { return Tree::dict({{name, tensor}}); }

TEST(HeadersTrain, Implement) {
  const Poly<Shape> poly = Square{.side = 2};
  EXPECT_EQ(ops_of<Shape>(poly).area(poly.object().get()), 4);
  EXPECT_GT(ops_of<Shape>(Poly<Shape>(Disc{})).area(Poly<Shape>(Disc{}).object().get()), 3);
}

TEST(HeadersTrain, Tree) {
  const Tensor kernel = at::ones({2, 16}), bias = at::ones({16});
  Tree params = Tree::dict({{"Dense_0", Tree::dict({{"kernel", kernel}, {"bias", bias}})}});
  EXPECT_EQ(params["Dense_0"]["kernel"].tensor().numel(), 32);
  EXPECT_EQ(kontext::get_by_path(params, "Dense_0.kernel[0, :8]").as<Tensor>().numel(), 8);

  const Tree updates = params;
  Tree doubled = map(params, [](const Tensor& t) { return t * 2; });
  Tree next = zip_map(params, updates, [](const Tensor& p, const Tensor& u) { return p + u; });
  std::vector<std::string> paths;
  for (auto& [path, tensor] : flatten(params)) paths.push_back(path);
  Tree kernels = select(params, "**.kernel");
  EXPECT_TRUE(leaves(doubled)[0].equal(leaves(next)[0]));
  EXPECT_THAT(paths, ElementsAre("Dense_0.bias", "Dense_0.kernel"));
  EXPECT_EQ(count(kernels), 32);

  const std::int64_t n = 10'000;
  std::vector<int> seen(n);
  parallel_for(n, 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
  });
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), n);
}

TEST(HeadersTrain, Grad) {
  const train::TrainState state{.params = dict_of("w", at::ones({2}))};
  Tree params = tracked(state.params);
  Tensor loss = params["w"].tensor().pow(2).sum();
  Tree grads = grad(loss, params);
  EXPECT_EQ(grads["w"].tensor().sum().item<float>(), 4);
}

TEST(HeadersTrain, Losses) {
  const Tensor image = tracked(at::ones({2, 2, 2, 1}));
  const Tree context = Tree::dict(
      {{"batch", dict_of("image", at::zeros_like(image))}, {"preds", dict_of("image", image)}});
  Map<Poly<Loss>> train_losses;
  train_losses["l2"] = losses::L2{.preds = "preds.image", .targets = "batch.image"};
  auto [total, states] = losses::compute_losses(train_losses, context);
  total.backward();
  EXPECT_EQ(image.grad().sum().item<float>(), 2);
}

TEST(HeadersTrain, Metrics) {
  const Tensor image = at::ones({2, 2, 2, 1});
  const Tree context = Tree::dict({{"batch", dict_of("image", image)}});
  const Tree& next_context = context;
  {
    Poly<Metric> metric = MeanBrightness{.image = "batch.image"};
    Tree value = metric(context);
    State state = metrics::get_state(metric, context);
    State other = metrics::get_state(metric, {{"image", image}});
    EXPECT_EQ(value.tensor().item<float>(), 1);
    EXPECT_EQ(state.merge(other).compute().tensor().item<float>(), 1);
  }
  const Poly<Metric> metric = MeanBrightness{.image = "batch.image"};
  State state = metrics::get_state(metric, context);
  state = std::move(state).merge(metrics::get_state(metric, next_context));
  Tree value = state.finalize().compute();
  EXPECT_EQ(value.tensor().item<float>(), 1);

  const Tensor x = at::arange(3, at::kFloat);
  const State range = RangeState{.lowest = x.min(),
                                 .highest = x.max(),
                                 .all = x,
                                 .bins = 3,
                                 .mean = AverageState::from_values(x)};
  EXPECT_EQ(count(range.merge(range).finalize().tree()["all"]), 6);
  const State sum = S{.total = 2.0};
  EXPECT_EQ(sum.merge(sum).finalize().compute().tensor().item<float>(), 4);
  EXPECT_EQ(sum.with_tree(at::full({}, 3.0)).compute().tensor().item<float>(), 3);
}

TEST(HeadersTrain, MasksAndSchedules) {
  const Tree params = Tree::dict({{"kernel", at::ones({2})}, {"bias", at::ones({3})}});
  optim::Marks marks = optim::marks_of(optim::Select{"kernel"}, params);
  Tree kernels = optim::keep(params, marks);
  EXPECT_EQ(count(kernels), 2);
  EXPECT_EQ(count(optim::keep(params, optim::marks_of(Decayed{}, params))), 2);

  train::Trainer cfg;
  cfg.schedules["learning_rate"] = Halving{};
  const std::int64_t step = 1000;
  double lr = cfg.schedules.at("learning_rate")(step);
  EXPECT_FLOAT_EQ(static_cast<float>(lr), 0.05f);
}

TEST(HeadersTrain, Optimizers) {
  for (const Poly<Optimizer>& one :
       {Poly<Optimizer>(MyTransformation{}), Poly<Optimizer>(WithParams{}),
        Poly<Optimizer>(WithState{}), Poly<Optimizer>(MadeOfOthers{}),
        Poly<Optimizer>(AroundAnother{}),
        Poly<Optimizer>(optim::MultiSteps{.opt = optim::Sgd{.learning_rate = 1.0},
        .every_k_schedule = 1,
        .should_skip_update_fn = SkipOutliers{}})}) {
    train::Trainer trainer;
    trainer.optimizer = one;
    Tree params = dict_of("w", at::ones({3}));
    const Tree grads = dict_of("w", at::ones({3}));
    optim::Stepper stepper(trainer.optimizer);
    Tree state = stepper.init(params);
    for (int i = 0; i < 2; ++i) stepper.step(params, grads, state);
    EXPECT_NE(params["w"].tensor()[0].item<float>(), 1);
  }
}

class HeadersTrainRun : public ::testing::Test {
 protected:
  konfig::ConfigDict config() const {
    Config<train::Trainer> cfg;
    cfg.train_ds = data::py::DataSource{.data_source = Points{}, .shuffle = true, .batch_size = 4};
    cfg.model = nn::Sequential{.layers = {nn::Dense{.features = 1}}, .inputs = "batch.x"};
    cfg.num_train_steps = 3;
    cfg.train_losses["l2"] = losses::L2{.preds = "preds", .targets = "batch.x"};
    cfg.optimizer = optim::Adam{.learning_rate = 1e-3};
    cfg.workdir = folder_.path().string();
    cfg.checkpointer = ckpts::Checkpointer{.save_interval_steps = 1};
    cfg.trainstep = MyStep{};
    cfg.evals["mine"] = MyEvaluator{};
    cfg.evals["eval"] = evals::Evaluator{
        .run = evals::StandaloneEveryCheckpoint{},
        .ds = data::py::DataSource{
            .data_source = Points{}, .shuffle = false, .num_epochs = 1, .batch_size = 4}};
    return konfig::lower(cfg);
  }
  const base::TempFolder folder_;
};

TEST_F(HeadersTrainRun, LoopsOfOnesOwn) {
  const konfig::ConfigDict cfg = config();
  double last = 0;
  auto trainer = konfig::resolve<train::Trainer>(cfg);
  train::StepRun run(*trainer);
  train::TrainState state = run.init();
  for (const Tree& batch : data::open(trainer->train_ds).device_put()) {
    auto [next, aux, loss, skipped] = run.step(std::move(state), batch, {.losses = true});
    state = std::move(next);
    last = train::compute(aux).find("losses/total").value();
    EXPECT_FLOAT_EQ(static_cast<float>(last), static_cast<float>(loss));
    if (state.step == *trainer->num_train_steps) break;
  }
  EXPECT_GT(last, 0);
}

TEST_F(HeadersTrainRun, TrainAndEvaluate) {
  const konfig::ConfigDict cfg = config();
  auto trainer = konfig::resolve<train::Trainer>(cfg);
  train::TrainResult result = train::train(*trainer, {.config = cfg});
  EXPECT_EQ(result.state.step, 4);
  auto aux = evals::continuous_eval(*trainer, {"eval"}, {.quiet_seconds = 0});
  EXPECT_TRUE(aux.contains("eval"));
}

TEST_F(HeadersTrainRun, States) {
  using namespace train;
  const auto trainer_of_config = konfig::resolve<Trainer>(config());
  StepRun run(*trainer_of_config);
  TrainState state = run.init();
  const Tree batch = dict_of("x", at::ones({4, 1}));
  const AuxState next = run.step(run.init(), batch).aux;
  AuxState aux = run.step(run.init(), batch).aux;
  aux = merged(std::move(aux), next);
  AuxValues values = compute(aux);
  EXPECT_TRUE(values.find("losses/total"));

  Tree saved = to_tree(state);
  state = restored(state, saved);
  EXPECT_EQ(state.step, 0);
}

TEST(HeadersTrain, ContextAndChecks) {
  using namespace train;
  const Tree batch = dict_of("image", at::full({2}, NAN)), params;
  {
    Context context{.step = 3, .batch = batch, .params = params};
    EXPECT_TRUE(kontext::get_by_path(context, "batch.image"));
  }
  const Context context{.preds = batch};
  Trainer trainer;
  trainer.checkify_error_categories = konfig::List{"nan"};
  std::string found;
  const Checks checks = checks_of(trainer.checkify_error_categories);
  if (auto bad = failed_check(checks, context)) found = *bad;
  EXPECT_EQ(found, "preds.image (NaN)");
}

TEST(HeadersTrain, Chrono) {
  using train::Chrono;
  const std::int64_t batch_size = 4;
  std::vector<std::string> names;
  Chrono chrono(batch_size);
  { auto pause = chrono.pause(Chrono::kEvals); }
  chrono.finish_step();
  for (auto& [name, value] : chrono.flush()) names.push_back(name);
  EXPECT_THAT(names, ::testing::Contains("perf_stats/steps_per_sec"));
}

}  // namespace
}  // namespace headers_train
