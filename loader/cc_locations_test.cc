#include "loader/cc_locations_impl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loader/fixture_test.h"
#include "loader/loader.h"
#include "loader/locations.h"

namespace loader {
namespace {

std::string line_of(std::string_view source, const char* path) {
  const konfig::Dict all = cc_locations(source, "c.cc");
  auto* found = all.find(konfig::Value(path));
  return found ? found->as<std::string>() : "";
}

constexpr std::string_view kConfig = R"(#include "kd/kd.h"
Config<train::Trainer> other() {
  Config<train::Trainer> cfg;
  cfg.seed = 7;
  return cfg;
}
Config<train::Trainer> get_config(const Args& args) {
  Config<train::Trainer> cfg;
  // cfg.model = nothing;
  cfg.model = nn::Sequential{
      .layers = {nn::Dense{.features = 3},
                 nn::Dense{.features = 4}},
      .inputs = "batch.x"};
  cfg.train_losses["l2"] = losses::L2{.preds = "preds",
                                      .targets = "batch.y"};
  auto rate = node(optim::Cosine{.init_value = 0.1});
  cfg.optimizer = optim::Adam{.learning_rate = rate};
  if (args.big) {
    cfg.num_train_steps = std::max<int>(10, 5);
  } else {
    cfg.num_train_steps = 5;
  }
  for (auto& name : {"a", "b"}) {
    cfg.evals[name] = [&] { auto e = make(name); return e; }();
  }
  cfg.checkpointer.as<ckpts::Checkpointer>().max_to_keep = 4;
  cfg.schedules = {{"rate", optim::Cosine{
      .decay_steps = 5}}};
  use(cfg.workdir == "x");
  return cfg;
}
KONFIG_EXPORT(get_config)
)";

TEST(CcLocations, OfWhatTheExportedFunctionAssigns) {
  for (auto& [path, place] :
       std::vector<std::pair<const char*, const char*>>{{"", "c.cc:8"},
                                                        {"model", "c.cc:10"},
                                                        {"model.layers", "c.cc:11"},
                                                        {"model.layers[0]", "c.cc:11"},
                                                        {"model.layers[1]", "c.cc:12"},
                                                        {"model.layers[1].features", "c.cc:12"},
                                                        {"model.inputs", "c.cc:13"},
                                                        {"train_losses.l2", "c.cc:14"},
                                                        {"train_losses.l2.targets", "c.cc:15"},
                                                        {"optimizer.learning_rate", "c.cc:17"},
                                                        {"num_train_steps", "c.cc:19 or c.cc:21"},
                                                        {"evals", "c.cc:24"},
                                                        {"checkpointer.max_to_keep", "c.cc:26"},
                                                        {"schedules.rate.decay_steps", "c.cc:28"},
                                                        {"seed", ""},
                                                        {"workdir", ""}}) {
    EXPECT_EQ(line_of(kConfig, path), place) << path;
  }
}

TEST(CcLocations, OfWhatItsFunctionsGive) {
  constexpr std::string_view kSource = R"(static Poly<Pipeline> make_ds(bool training) {
  data::py::Tfds ds{.name = "mnist",
                    .split = training ? "train" : "test"};
  ds.batch_size = 32;
  return ds;
}
static optim::Adam adam() {
  return optim::Adam{
      .b1 = 0.8};
}
static int loop() { return loop() + loop() + loop(); }
Config<train::Trainer> get_config() {
  Config<train::Trainer> cfg;
  cfg.train_ds = make_ds(true);
  cfg.evals["eval"] = evals::Evaluator{
      .ds = make_ds(Options{.split = 3})};
  cfg.optimizer = adam();
  cfg.seed = loop();
  return cfg;
}
KONFIG_EXPORT(get_config)
)";
  for (auto& [path, place] :
       std::vector<std::pair<const char*, const char*>>{{"", "c.cc:13"},
                                                        {"train_ds", "c.cc:14"},
                                                        {"train_ds.name", "c.cc:2"},
                                                        {"train_ds.batch_size", "c.cc:4"},
                                                        {"evals.eval.ds", "c.cc:16"},
                                                        {"evals.eval.ds.batch_size", "c.cc:4"},
                                                        {"evals.eval.ds.split", "c.cc:3"},
                                                        {"optimizer", "c.cc:17"},
                                                        {"optimizer.b1", "c.cc:9"},
                                                        {"seed", "c.cc:18"}}) {
    EXPECT_EQ(line_of(kSource, path), place) << path;
  }
}

TEST(CcLocations, TextOfAnotherFormHasNone) {
  for (std::string_view source :
       {"", "KONFIG_EXPORT(", "KONFIG_EXPORT(f)", "T f() { return make(); }\nKONFIG_EXPORT(f)",
        "T f() { T c; c.x = {", "T f() { T c; c.x = {; return c; }\nKONFIG_EXPORT(f)",
        "T f() { T c; c. = ; c[ = {{; return c; KONFIG_EXPORT(f)"}) {
    EXPECT_EQ(line_of(source, "model"), "") << source;
  }
}

class CcLocationsFile : public CompileTest {};

TEST_F(CcLocationsFile, AreKnownOnceItIsLoaded) {
  const auto file = write("places.cc", R"(#include "kd/kd.h"
using namespace kd;
Config<train::Trainer> get_config() {
  Config<train::Trainer> cfg;
  cfg.model = nn::FlatAutoencoder{.inputs = "batch.x",
                                  .encoder = nn::Dense{.features = 4}};
  return cfg;
}
KONFIG_EXPORT(get_config)
)");
  load({.source = file, .locate = true});
  EXPECT_EQ(location_of("model.encoder.features"), file + ":6");
  EXPECT_EQ(location_of("model.decoder"), file + ":5");
  set_locations({});
}

}  // namespace
}  // namespace loader
