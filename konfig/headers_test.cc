// The code in the opening comments of konfig's headers; tests/docs_test.cc holds them to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <sstream>

#include "konfig/absent.h"
#include "konfig/config_registry.h"
#include "konfig/copy_fields.h"
#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/konfig.h"
#include "konfig/reflect.h"
#include "konfig/root.h"
#include "konfig/sweep.h"
#include "konfig/toy_test.h"

// register.h: the names of a framework. Its own are in libraries that konfig does not know.
namespace kd {
struct Loss;
struct Module;
struct Optimizer;
struct Sharding {
  std::string axis = "";
};
namespace optim {
struct Adam {
  double b1 = 0.9;
};
}  // namespace optim
namespace train {
struct Trainer {
  int seed = 0;
};
}  // namespace train
}  // namespace kd
namespace my::ns {
struct Model {
  int width = 1;
};
}  // namespace my::ns
struct MyLoss {
  double weight = 1;
};
struct MyModel {
  int depth = 1;
};
struct VitVariant {
  std::string variant_str = "";
};
static kd::optim::Adam from_variant_str(const VitVariant& variant) {
  return {.b1 = static_cast<double>(variant.variant_str.size())};
}
double relu(double x);
double relu(double x) { return std::max(x, 0.0); }

// absent.h
KONFIG_ABSENT("flax.nnx", "an NNX module is a Python class; write it as a C++ module");

// component.h
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Adam, "optax:adam", "my.optim:Adam");
KONFIG_TYPE(kd::train::Trainer, "kauldron.kd:train.Trainer");
KONFIG_TYPE(my::ns::Model);
KONFIG_ARGUMENTS(kd::Module, VitVariant);

// register.h
KONFIG_REGISTER(kd::optim::Adam);
KONFIG_REGISTER(kd::train::Trainer);
KONFIG_REGISTER(my::ns::Model);
template const konfig::Type& konfig::type_of<VitVariant>();

KONFIG_LOCAL_COMPONENT(kd::Loss, MyLoss);
KONFIG_REGISTER(MyModel, "my.project:Model");

KONFIG_FUNCTION("kauldron.kd:nn.VitEncoder.from_variant_str", from_variant_str);
KONFIG_CONSTANT("kauldron.kd:sharding.REPLICATED", kd::Sharding{});
KONFIG_CALLABLE("jax.nn:relu", relu);

namespace headers_test {

using namespace konfig;
using ::testing::ElementsAre;
using toy::Loss;
using toy::Optimizer;
namespace optim = toy;

// copy_fields.h
// clang-format off
struct Npz { bool csv = true; bool console = true; std::string folder = ""; };
struct Files { bool csv = true; bool console = true; };
// clang-format on

TEST(KonfigHeaders, CopyFields) {
  const Npz npz = {.csv = false, .console = true, .folder = "a"};
  Files files;
  copy_fields(npz, files);
  EXPECT_FALSE(files.csv);
  EXPECT_TRUE(files.console);
}

// callable.h
struct Mlp {
  Callable<double(double)> act = "jax.nn:relu";
};

// fields.h, inherit.h, root.h
struct Dense {
  Required<int> features;
};
struct Chain {
  Args<Poly<Optimizer>> transforms;
};
struct NamedChain {
  Kwargs<Poly<Optimizer>> transforms;
};
struct Evaluator {
  Inherit<Map<Poly<Loss>>, "train_losses"> losses = inherit;
};
struct Trainer {
  static constexpr bool konfig_is_root = true;
  Map<Poly<Loss>> train_losses;
  Map<Evaluator> evals;
};

const SweepOwner owner("headers_test");
static Config<toy::Trainer> get_config() { return {}; }
static std::vector<Dict> sweep() { return {{{"seed", 1}}, {{"seed", 2}}}; }
static std::vector<Dict> sweep_lr() { return {}; }
static std::vector<Dict> make_sizes() { return {{{"width", 4}}}; }

}  // namespace headers_test

using headers_test::get_config;
using headers_test::make_sizes;
using headers_test::sweep;
using headers_test::sweep_lr;
KONFIG_SWEEP(sweep)
KONFIG_SWEEP(sweep_lr)
KONFIG_SWEEP("size", make_sizes)
KONFIG_CONFIG("mnist", get_config);

namespace headers_test {
namespace {

void use(auto&&...) {}
Value make_name(std::span<const Value> args) { return "run_" + to_json(args[0]); }

TEST(KonfigHeaders, Register) {
  EXPECT_EQ(resolve<my::ns::Model>(call("my.ns:Model", {{"width", 3}}))->width, 3);
  EXPECT_EQ(lower(kd::optim::Adam{.b1 = 0.8})["__qualname__"].as<std::string>(), "optax:adam");
  EXPECT_EQ(Poly<kd::Loss>(MyLoss{.weight = 2}).as<MyLoss>().weight, 2);
  const ConfigDict vit =
      call("kauldron.kd:nn.VitEncoder.from_variant_str", {{"variant_str", "ViT-Ti"}});
  EXPECT_EQ(resolve<kd::optim::Adam>(vit)->b1, 6);
  EXPECT_EQ(Mlp{}.act(-1), 0);
}

TEST(KonfigHeaders, Configs) {
  EXPECT_NE(find_config("mnist"), nullptr);
  EXPECT_EQ(find_sweeps("headers_test").size(), 3u);
}

TEST(KonfigHeaders, TypedConfig) {
  using toy::Trainer;
  Config<Trainer> cfg;
  cfg.num_train_steps = 1000;
  auto lr = node(optim::Cosine{.peak_value = 3e-3});
  cfg[lr->decay_steps] = cfg.ref(cfg.num_train_steps);
  cfg.schedules["learning_rate"] = lr;
  cfg.optimizer = optim::Adam{.learning_rate = lr};
  cfg.aux["dim"] = 64;
  cfg[cfg.width] = cfg.ref<int>(cfg.aux["dim"]) * 2;
  ConfigDict config = lower(cfg);
  EXPECT_EQ(config["width"].as<std::int64_t>(), 128);
  EXPECT_EQ(config["optimizer"]["learning_rate"]["decay_steps"].as<std::int64_t>(), 1000);

  ConfigDict node = lower(optim::Adam{.b1 = 0.8});
  EXPECT_EQ(node["b1"].as<double>(), 0.8);
}

TEST(KonfigHeaders, Ref) {
  struct Run {
    int num_train_steps = 0;
    int warmup = 0;
    int seed = 0;
    std::string name = "";
  };
  Config<Run> cfg;
  cfg.num_train_steps = 105;
  cfg.seed = 3;
  cfg[cfg.warmup] = cfg.ref(cfg.num_train_steps) / 10;
  cfg[cfg.name] = cfg.ref(cfg.seed).map([](int s) { return "run" + std::to_string(s); });
  const ConfigDict lowered = lower(cfg);
  EXPECT_EQ(lowered["warmup"].as<std::int64_t>(), 10);
  EXPECT_EQ(lowered["name"].as<std::string>(), "run3");
}

TEST(KonfigHeaders, Reference) {
  ConfigDict cfg = {{"num_train_steps", 100}, {"seed", 1}};
  cfg["warmup"] = cfg.ref("num_train_steps") / 10;
  cfg["name"] = ref_fn(make_name, {cfg.ref("seed")});
  EXPECT_EQ(cfg["name"].as<std::string>(), "run_1");
}

TEST(KonfigHeaders, Poly) {
  toy::Trainer cfg;
  Poly<Optimizer> opt = optim::Adam{.learning_rate = 1e-3};
  opt.as<optim::Adam>().b1 = 0.8;
  auto lr = node(optim::Cosine{});
  cfg.schedules["learning_rate"] = lr;
  cfg.optimizer = optim::Adam{.learning_rate = lr};
  EXPECT_EQ(std::as_const(opt).as<optim::Adam>().b1, 0.8);
  EXPECT_TRUE(cfg.optimizer.holds<optim::Adam>());
}

TEST(KonfigHeaders, Dynamic) {
  std::ostringstream out;
  auto* const console = std::cout.rdbuf(out.rdbuf());
  {
    auto cfg = konfig::call("optax:adam", {{"learning_rate", 0.003}});
    cfg["learning_rate"] = 1e-4;
    std::cout << konfig::to_json(cfg);
  }
  {
    ConfigDict cfg = call("optax:adam", {{"learning_rate", 0.003}});
    cfg["learning_rate"] = 1e-4;
    cfg["decay"] = cfg.ref("learning_rate") * 10;
    std::cout << cfg << to_json(cfg);
  }
  const Type& t = type_of<optim::Adam>();
  for (const Field& f : t.fields) std::cout << f.name << ": " << words(f.type()) << "\n";
  std::cout.rdbuf(console);
  EXPECT_THAT(out.str(), ::testing::HasSubstr(R"("decay": 0.001)"));
  EXPECT_THAT(out.str(), ::testing::HasSubstr("b1: a number"));
}

TEST(KonfigHeaders, ReflectAndLoad) {
  struct Adam {
    double learning_rate = 1e-3;
    double b1 = 0.9;
  };
  EXPECT_THAT(field_names<Adam>(), ElementsAre("learning_rate", "b1"));
  Adam adam;
  visit_fields(adam, [](auto&... field) { (use(field), ...); });
  {
    const Value value = Dict{{"b1", 0.5}};
    load(type_of<Adam>(), &adam, value);
    EXPECT_EQ(adam.b1, 0.5);
  }
  const Value value = List{1, 2};
  auto sizes = load<std::vector<int>>(value);
  EXPECT_THAT(sizes, ElementsAre(1, 2));
}

TEST(KonfigHeaders, Absent) {
  for (const char* name : {"flax.nnx:Linear", "flax:nnx.Linear", "flax.nnx.bridge:ToLinen"}) {
    EXPECT_THAT(error_of([&] { get_symbol(name); }),
                testing::HasSubstr(": an NNX module is a Python class; write it as a C++ module"));
  }
  EXPECT_THAT(error_of([] { get_symbol("flax.nnxy:Linear"); }),
              testing::HasSubstr("nothing is registered"));
}

TEST(KonfigHeaders, Resolve) {
  using kd::optim::Adam;
  const ConfigDict cfg = lower(Adam{.b1 = 0.5});
  std::shared_ptr<const Adam> adam = resolve<Adam>(cfg);
  Value anything = resolve(cfg);
  EXPECT_EQ(adam->b1, 0.5);
}

TEST(KonfigHeaders, Inherit) {
  Trainer trainer;
  trainer.train_losses["l2"] = toy::L2{};
  trainer.evals["same"] = Evaluator{};
  trainer.evals["none"] = Evaluator{.losses = {}};
  Trainer full = with_root_values(trainer);
  EXPECT_EQ(full.evals.at("same").losses->size(), 1u);
  EXPECT_EQ(full.evals.at("none").losses->size(), 0u);
}

TEST(KonfigHeaders, Values) {
  Map<int> m = {{"b", 1}, {"a", 2}};
  m["c"] = 3;
  std::string keys;
  for (auto& [key, value] : m) keys += key;
  EXPECT_EQ(keys, "bac");

  Value v = 3;
  Value t = Tuple{1, "two"};
  if (v.is<std::int64_t>()) use(v.as<std::int64_t>());
  EXPECT_NE(v, t);
}

}  // namespace
}  // namespace headers_test
