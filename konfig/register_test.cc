#include "konfig/register.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/toy_test.h"

// The types of toy_test.h, for all tests of this program.
KONFIG_REGISTER(toy::Cosine);
KONFIG_REGISTER(toy::Adam);
KONFIG_REGISTER(toy::Sgd);
KONFIG_REGISTER(toy::Chain);
KONFIG_REGISTER(toy::NamedChain);
KONFIG_REGISTER(toy::L2);
KONFIG_REGISTER(toy::Elements);
KONFIG_REGISTER(toy::ValueRange);
KONFIG_REGISTER(toy::Tfds);
KONFIG_REGISTER(toy::EveryNSteps);
KONFIG_REGISTER(toy::Once);
KONFIG_REGISTER(toy::Evaluator, "toy:Evaluator");
KONFIG_REGISTER(toy::Trainer, "toy:Trainer");

namespace my::lab {
struct Model {
  int width = 3;
};
}  // namespace my::lab

struct Global {
  int x = 0;
};

namespace register_test {

using namespace konfig;

struct Module;
struct Metric;

struct VitEncoder {
  int layers = 1;
  std::string name = "";
};
// A named constructor: its argument struct stands for the call in typed configs.
struct FromVariant {
  Required<std::string> variant;
  std::string prefix = "vit-";
};
VitEncoder from_variant(const FromVariant& args) {
  if (*args.variant != "B/16") throw std::invalid_argument("unknown variant " + *args.variant);
  return {.layers = 12, .name = args.prefix + *args.variant};
}
struct PolyArgs {
  int layers = 2;
};
Poly<Module> make_module(const PolyArgs& args) {
  return VitEncoder{.layers = args.layers, .name = ""};
}

struct Holder {
  Poly<Module> encoder;
  VitEncoder plain = {};
  Poly<Metric> metric;
  int number = 0;
};

struct Raw {
  static constexpr std::string_view konfig_raw_fields[] = {"any"};
  ConfigDict job;
  Value any;
  std::string seen = "";
  void konfig_post_resolve(const ConfigDict& cfg) { seen = cfg.qualname(); }
};

// A component and a plain type as a header declares them.
struct Loss;
struct Measure;
struct L2 {
  double weight = 1;
};
struct Options {
  int threads = 1;
};
struct Holders {
  Poly<Loss> loss;
  Poly<Measure> measure;
};

// One name for a type, a constant and a function.
struct Skip {
  int limit = 3;
};
int skip(int x) { return x; }
using SkipFunction = Callable<int(int)>;

// Two types of one name.
struct First {
  int x = 1;
};
struct Second {
  int x = 2;
};

}  // namespace register_test

KONFIG_ALSO_INTERFACE(register_test::Loss, register_test::Measure);
KONFIG_COMPONENT(register_test::Loss, register_test::L2, "reg:L2", "reg.contrib:L2", "old.reg:l2");
KONFIG_TYPE(register_test::Options, "reg:Options", "reg:Settings");
KONFIG_TYPE(register_test::Holders);
KONFIG_REGISTER(register_test::L2);
KONFIG_REGISTER(register_test::Options);
KONFIG_REGISTER(register_test::Holders);

KONFIG_CONSTANT("reg:skip_a", register_test::Skip{.limit = 5});
KONFIG_CALLABLE("reg:skip_a", register_test::skip);
KONFIG_REGISTER(register_test::Skip, "reg:skip_a");
KONFIG_RUN(konfig::detail::register_type<register_test::Skip>("reg:skip_b"));
KONFIG_CALLABLE("reg:skip_b", register_test::skip);
KONFIG_CONSTANT("reg:skip_b", register_test::Skip{.limit = 5});

KONFIG_REGISTER(register_test::First, "reg:Taken");
KONFIG_REGISTER(register_test::Second, "reg:Taken");

KONFIG_LOCAL_COMPONENT(register_test::Module, register_test::VitEncoder, "reg:VitEncoder");
KONFIG_ALSO_COMPONENT(register_test::Metric, register_test::VitEncoder);
KONFIG_ALSO_COMPONENT(register_test::Module, register_test::FromVariant);
KONFIG_FUNCTION("reg:VitEncoder.from_variant", register_test::from_variant);
KONFIG_FUNCTION("reg:make_module", register_test::make_module);
KONFIG_CONSTANT("reg:BASE", register_test::VitEncoder{.layers = 7, .name = ""});
KONFIG_CONSTANT("reg:SEVEN", 7);
KONFIG_REGISTER(register_test::Holder);
KONFIG_REGISTER(register_test::Raw);
KONFIG_REGISTER(my::lab::Model);
KONFIG_REGISTER(Global);

namespace register_test {
namespace {

TEST(Register, DefaultNames) {
  EXPECT_EQ(qualname_of(type_of<my::lab::Model>()), "my.lab:Model");
  EXPECT_EQ(qualname_of(type_of<Global>()), "__main__:Global");
  EXPECT_EQ(default_qualname("a::{anonymous}::X"), "a:X");
  EXPECT_EQ(default_qualname("(anonymous namespace)::X"), "__main__:X");
  EXPECT_EQ(default_qualname("a::b::X<c::d>"), "a.b:X<c::d>");
  EXPECT_EQ(resolve<my::lab::Model>(call("my.lab:Model", {{"width", 4}}))->width, 4);
}

TEST(Register, SymbolsCarryTypeAndInterface) {
  auto& symbol = get_symbol("toy:adam");
  EXPECT_TRUE(symbol.type->is(type_of<toy::Adam>()));
  EXPECT_EQ(symbol.interface, "toy::Optimizer");
  EXPECT_THAT(components_of("toy::Optimizer"),
              testing::ElementsAre("toy::Adam", "toy::Chain", "toy::NamedChain", "toy::Sgd"));
}

TEST(Register, FurtherNamesAreReadAndTheFirstIsWritten) {
  EXPECT_EQ(qualname_of(type_of<L2>()), "reg:L2");
  EXPECT_EQ(qualname_of(type_of<Options>()), "reg:Options");
  for (const char* name : {"reg:L2", "reg.contrib:L2", "old.reg:l2"}) {
    auto& symbol = get_symbol(name);
    EXPECT_EQ(symbol.qualname, name);
    EXPECT_TRUE(symbol.type->is(type_of<L2>()));
    EXPECT_EQ(symbol.interface, "register_test::Loss");
    EXPECT_EQ(resolve<L2>(call(name, {{"weight", 2}}))->weight, 2);
  }
  EXPECT_EQ(resolve<Options>(call("reg:Settings", {{"threads", 4}}))->threads, 4);
  Config<Holders> cfg;
  cfg.loss = L2{.weight = 3};
  EXPECT_EQ(to_json(lower(cfg)["loss"].get()), R"({"__qualname__": "reg:L2", "weight": 3.0})");
}

TEST(Register, ComponentsOfOneInterfaceImplementAnother) {
  EXPECT_THAT(components_of("register_test::Measure"), testing::ElementsAre("register_test::L2"));
  Config<Holders> cfg;
  cfg.measure = L2{.weight = 2};
  EXPECT_EQ(resolve<Holders>(lower(cfg))->measure.as<L2>().weight, 2);
  EXPECT_FALSE((implements<Loss, Options>));
  EXPECT_FALSE((implements<Measure, Options>));
}

TEST(Register, OneNameForATypeAConstantAndAFunction) {
  for (const char* name : {"reg:skip_a", "reg:skip_b"}) {
    EXPECT_EQ(resolve<Skip>(call(name, {{"limit", 7}}))->limit, 7) << name;
    auto holder = resolve(Value(constant(name)));
    EXPECT_EQ(static_cast<const Skip*>(holder.as<Object>().ptr.get())->limit, 5) << name;
    EXPECT_EQ(SkipFunction(name)(4), 4) << name;
  }
}

TEST(Register, ANameThatTwoTypesClaimMeansNeither) {
  expect_error(ErrorKind::value,
               {"two types have the name 'reg:Taken': register_test::First and "
                "register_test::Second; register one of them under another name"},
               [] { resolve(Value(call("reg:Taken"))); });
}

TEST(Register, NamedConstructors) {
  auto built = resolve<VitEncoder>(call("reg:VitEncoder.from_variant", std::vector<Value>{"B/16"}));
  EXPECT_EQ(built->layers, 12);
  EXPECT_EQ(built->name, "vit-B/16");
  auto holder = resolve<Holder>(call(
      "register_test:Holder",
      {{"encoder", call("reg:VitEncoder.from_variant", {{"variant", "B/16"}, {"prefix", "x"}})},
       {"plain", call("reg:make_module", {{"layers", 5}})}}));
  EXPECT_EQ(holder->encoder.as<VitEncoder>().name, "xB/16");
  EXPECT_EQ(holder->plain.layers, 5);
  expect_error(ErrorKind::value, {"unknown variant C"}, [] {
    resolve<VitEncoder>(call("reg:VitEncoder.from_variant", {{"variant", "C"}}));
  });
}

TEST(Register, NamedConstructorsInTypedConfigs) {
  Config<Holder> cfg;
  cfg.encoder = FromVariant{.variant = "B/16"};
  auto data = lower(cfg);
  EXPECT_EQ(to_json(data["encoder"].get()),
            R"({"__qualname__": "reg:VitEncoder.from_variant", "variant": "B/16"})");
  EXPECT_EQ(resolve<Holder>(data)->encoder.as<VitEncoder>().layers, 12);
}

TEST(Register, ConstantsByName) {
  auto holder = resolve<Holder>(call("register_test:Holder", {{"encoder", constant("reg:BASE")},
                                                              {"plain", constant("reg:BASE")},
                                                              {"number", constant("reg:SEVEN")}}));
  EXPECT_EQ(holder->encoder.as<VitEncoder>().layers, 7);
  EXPECT_EQ(holder->plain.layers, 7);
  EXPECT_EQ(holder->number, 7);
}

TEST(Register, AComponentOfTwoInterfaces) {
  Holder holder;
  holder.metric = VitEncoder{.layers = 2, .name = ""};
  EXPECT_EQ(resolve<Holder>(lower(holder))->metric.as<VitEncoder>().layers, 2);
}

TEST(Register, RawFieldsAndPostResolve) {
  auto raw = resolve<Raw>(call("register_test:Raw", {{"job", call("nowhere:Job", {{"x", 1}})},
                                                     {"any", call("nowhere:Other")}}));
  EXPECT_EQ(raw->job.qualname(), "nowhere:Job");
  EXPECT_EQ(raw->any.as<ConfigDict>().qualname(), "nowhere:Other");
  EXPECT_EQ(raw->seen, "register_test:Raw");
}

TEST(Register, OpenChildren) {
  using namespace toy;
  Config<Trainer> cfg;
  cfg.optimizer = Chain{.transforms = {Sgd{.learning_rate = 1}, Adam{}}};
  EXPECT_EQ(
      to_json(lower(cfg)["optimizer"].get()),
      R"({"__qualname__": "toy:chain", "0": {"__qualname__": "toy:sgd", "learning_rate": 1.0}, )"
      R"("1": {"__qualname__": "toy:adam"}})");
  auto trainer = resolve<Trainer>(lower(cfg));
  EXPECT_TRUE(trainer->optimizer.as<Chain>().transforms[1].holds<Adam>());

  cfg.optimizer = NamedChain{.transforms = {{"clip", Sgd{}}, {"adam", Adam{}}}};
  cfg.seed = 3;
  auto& adam = cfg.optimizer.as<NamedChain>().transforms["adam"].as<Adam>();
  cfg[adam.learning_rate] = cfg.ref(cfg.seed) * 0.5;
  cfg[cfg.width] = cfg.ref(adam.b1).map([](double b) { return static_cast<int>(b * 10); });
  auto data = lower(cfg);
  data["optimizer"]["adam"]["b1"] = 0.5;
  auto resolved = resolve<Trainer>(data);
  auto& chain = resolved->optimizer.as<NamedChain>();
  EXPECT_EQ(chain.transforms.begin()->first, "clip");
  EXPECT_EQ(chain.transforms.at("adam").as<Adam>().b1, 0.5);
  EXPECT_EQ(std::get<double>(chain.transforms.at("adam").as<Adam>().learning_rate), 1.5);
  EXPECT_EQ(resolved->width, 5);
}

TEST(Register, PositionalArgumentsByFieldOrder) {
  auto adam = resolve<toy::Adam>(call("toy:adam", {Value(0.5), Value(0.8)}, {{"b2", 0.7}}));
  EXPECT_EQ(std::get<double>(adam->learning_rate), 0.5);
  EXPECT_EQ(adam->b1, 0.8);
  EXPECT_EQ(adam->b2, 0.7);
}

TEST(Register, Export) {
  toy::Tfds ds{.name = "m", .transforms = {toy::ValueRange{.key = "image"}}};
  auto object = resolve(lower(ds));
  auto exported = export_(object);
  EXPECT_EQ(to_json(exported),
            R"({"name": "m", "split": "train", "shuffle": false, "num_epochs": null, )"
            R"("batch_size": 1, "transforms": [{"key": "image", "vrange": )"
            R"({"__qualname__": "builtins.tuple", "0": [0.0, 1.0]}, "hi": 1.0, )"
            R"("__qualname__": "toy:ValueRange"}], "__qualname__": "toy:Tfds"})");
  auto cosine = export_(resolve(lower(toy::Cosine{.peak_value = 2})));
  EXPECT_EQ(resolve<toy::Cosine>(ConfigDict(cosine.as<Dict>()))->peak_value, 2);
}

TEST(Register, ResolveChecksTheType) {
  expect_error(ErrorKind::type, {"toy::Adam"}, [] { resolve<toy::Adam>(call("toy:sgd")); });
}

}  // namespace
}  // namespace register_test
