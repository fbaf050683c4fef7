// The code of the introduction, in C++: docs/seeds.md says which test is which block.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "base/durable.h"
#include "base/file.h"
#include "base/temp_folder.h"
#include "flags/config_flag.h"
#include "kd/kd.h"
#include "konfig/type.h"
#include "kxm/job.h"
#include "loader/loader.h"
#include "test_paths.h"

// Block "Keys and Context": a model of one's own that names its input.
namespace my_project {
struct AutoEncoder {
  kd::Key input = kd::Key::required();
};
}  // namespace my_project
KONFIG_LOCAL_COMPONENT(kd::Module, my_project::AutoEncoder);

namespace {

using namespace kd;
using konfig::call;
using konfig::ConfigDict;
using konfig::Dict;
using konfig::lower;
using konfig::resolve;
using konfig::Value;

TEST(Seeds, ConfigSystem) {
  ConfigDict cfg = lower(Config<optim::Adam>({.learning_rate = 0.003}));
  EXPECT_TRUE(cfg == (ConfigDict{{"__qualname__", "optax:adam"}, {"learning_rate", 0.003}}));

  cfg["learning_rate"] = 1e-4;  // a config can be changed

  auto optimizer = resolve<optim::Adam>(cfg);
  EXPECT_EQ(std::get<double>(*optimizer->learning_rate), 1e-4);
}

// A config.py with these lines, as it is loaded.
ConfigDict loaded(const std::string& lines) {
  const base::TempFolder folder("seeds_");
  const auto file = folder / "config.py";
  base::write_synced(file, lines + "\ndef get_config():\n  return cfg\n");
  return loader::load({.source = file});
}

// The block as it stands.
TEST(Seeds, ConfigSystemInPython) {
  const ConfigDict cfg = loaded(R"(
from kauldron import konfig

with konfig.imports():
  import optax  # This looks like optax, but instead is a ConfigDict builder


cfg = optax.adam(learning_rate=0.003)  # This create a ConfigDict object !!!

assert cfg == konfig.ConfigDict({  # The config is a simple nested dict
    '__qualname__': 'optax:adam',
    'learning_rate': 0.003,
})

cfg.learning_rate = 1e-4  # Config can be mutated
)");
  EXPECT_TRUE(cfg == (ConfigDict{{"__qualname__", "optax:adam"}, {"learning_rate", 1e-4}}));
  EXPECT_EQ(std::get<double>(*resolve<optim::Adam>(cfg)->learning_rate), 1e-4);
  // The names are those of real things: another one is found, when it is resolved.
  const ConfigDict wrong = loaded(R"(
from kauldron import konfig
with konfig.imports():
  import optax
cfg = optax.adan(learning_rate=0.003)
)");
  EXPECT_THROW(resolve<optim::Adam>(wrong), konfig::Error);
}

// Inside mock_modules(), modules become ConfigDict builders.
TEST(Seeds, MockModules) {
  const ConfigDict cfg = loaded(R"(
from kauldron import kd

with kd.konfig.mock_modules():
  # Inside mock_modules(), modules become ConfigDict builders
  # For the IDE, the ConfigDict look like the real object, so we get
  # all auto-complete and type-checking benefits.
  cfg = kd.train.Trainer()
  cfg.workdir = '/tmp/'

assert isinstance(cfg, kd.konfig.ConfigDict)
)");
  EXPECT_EQ(cfg.qualname(), "kauldron.kd:train.Trainer");
  std::shared_ptr<const train::Trainer> trainer = resolve<train::Trainer>(cfg);
  EXPECT_EQ(trainer->workdir, "/tmp/");
}

TEST(Seeds, ConfigReferences) {
  Config<train::Trainer> cfg;
  cfg.num_train_steps = 10'000;
  auto learning_rate = node(optim::WarmupCosineDecay{.init_value = 0.0, .peak_value = 0.001});
  cfg[learning_rate->decay_steps] = cfg.ref(cfg.num_train_steps);
  cfg.schedules["learning_rate"] = learning_rate;
  cfg.optimizer = optim::Adam{.learning_rate = learning_rate};

  ConfigDict config = lower(cfg);
  EXPECT_EQ(config["schedules"]["learning_rate"]["decay_steps"].as<std::int64_t>(), 10'000);
  std::vector<std::string> argv = {"--cfg.num_train_steps=500"};
  auto flag = flags::take_config_flag(argv, "cfg", "config.py");
  flags::apply_overrides(config, flag, argv);
  EXPECT_EQ(config["schedules"]["learning_rate"]["decay_steps"].as<std::int64_t>(), 500);

  auto trainer = resolve<train::Trainer>(config);
  auto& schedule = trainer->schedules.at("learning_rate");
  EXPECT_EQ(schedule.as<optim::WarmupCosineDecay>().decay_steps, 500);
  EXPECT_TRUE(std::get<Poly<ScheduleFn>>(*trainer->optimizer.as<optim::Adam>().learning_rate)
                  .same(schedule));
}

TEST(Seeds, AuxHoldsValuesToReferTo) {
  Config<train::Trainer> cfg;
  EXPECT_TRUE(resolve<train::Trainer>(lower(cfg))->aux.empty());  // there from the start
  cfg.aux["dim"] = 64;
  cfg.model = nn::Dense{.features = 1};
  cfg[cfg.model.as<nn::Dense>().features] = cfg.ref<int>(cfg.aux["dim"]) * 2;
  cfg[cfg.log_metrics_every] = cfg.ref<int>(cfg.aux["dim"]);

  ConfigDict config = lower(cfg);
  config["aux"]["dim"] = 32;  // updates all places
  EXPECT_EQ(config["model"]["features"].as<std::int64_t>(), 64);
  EXPECT_EQ(resolve<train::Trainer>(config)->log_metrics_every, 32);
}

TEST(Seeds, KeysConnectParts) {
  Config<train::Trainer> cfg;
  cfg.model = my_project::AutoEncoder{.input = "batch.image"};
  cfg.train_losses["recon"] = losses::L2{.preds = "preds.image", .targets = "batch.image"};

  auto trainer = resolve<train::Trainer>(lower(cfg));
  EXPECT_EQ(trainer->model.as<my_project::AutoEncoder>().input, Key("batch.image"));
  EXPECT_EQ(trainer->train_losses.at("recon").as<losses::L2>().preds, Key("preds.image"));
}

// Evaluators in jobs of their own; those of one group share the job.
TEST(Seeds, StandaloneEvaluators) {
  Config<train::Trainer> cfg;
  cfg.evals["a"] = evals::Evaluator{.run = evals::StandaloneEveryCheckpoint{.job_group = "group"}};
  cfg.evals["b"] = evals::Evaluator{.run = evals::StandaloneLastCheckpoint{.job_group = "group"}};
  cfg.evals["c"] = evals::Evaluator{.run = evals::Once{5}};
  auto trainer = resolve<train::Trainer>(lower(cfg));
  auto run = [&](const char* name) { return trainer->evals.at(name).as<evals::Evaluator>().run; };
  EXPECT_EQ(run("a").as<evals::StandaloneEveryCheckpoint>().job_group, "group");
  EXPECT_EQ(run("b").as<evals::StandaloneLastCheckpoint>().job_group, "group");
  EXPECT_EQ(*run("c").as<evals::Once>().step, 5);

  // Every parameter that a job has, these have, too.
  const konfig::Type& job_type = konfig::type_of<kxm::Job>();
  ASSERT_GT(job_type.fields.size(), 10u);
  for (const konfig::Field& field : job_type.fields) {
    if (field.name == "name") continue;  // that of the evaluator, or its group
    EXPECT_TRUE(konfig::type_of<evals::StandaloneEveryCheckpoint>().find(field.name)) << field.name;
    EXPECT_TRUE(konfig::type_of<evals::StandaloneLastCheckpoint>().find(field.name)) << field.name;
  }

  // They are kept as they are, for the launcher.
  ConfigDict config = lower(cfg);
  ConfigDict job = config["evals"]["a"]["run"].as<ConfigDict>();
  job["platform"] = "a100=1";
  job["priority"] = 115;
  job["args"] = Dict{{"x", 1}};
  job["requirements"]["ram"] = 5;
  job["debug"] = call("kauldron.kxm:Debug", {{"pytype", true}});
  const auto resolved = resolve<train::Trainer>(config)->evals.at("a").as<evals::Evaluator>().run;
  const auto& kept = resolved.as<evals::StandaloneEveryCheckpoint>();
  EXPECT_EQ(kept.platform, "a100=1");
  EXPECT_EQ(kept.priority, 115);
  EXPECT_EQ(kept.requirements["ram"], Value(5));
  EXPECT_EQ(kept.debug->pytype, true);
  job["platfrom"] = 1;
  EXPECT_THROW(resolve<train::Trainer>(config), konfig::Error);
}

// One seed for all, or one of its own for a part.
TEST(Seeds, SeedsOfParts) {
  Config<train::Trainer> cfg;
  cfg.seed = 42;
  cfg.train_ds = data::py::Tfds{.name = "mnist", .split = "train", .shuffle = true};
  EXPECT_EQ(*resolve<train::Trainer>(lower(cfg))->train_ds.as<data::py::Tfds>().seed, 42);
  ConfigDict config = lower(cfg);
  config["train_ds"]["seed"] = 7;
  auto trainer = resolve<train::Trainer>(config);
  EXPECT_EQ(*trainer->train_ds.as<data::py::Tfds>().seed, 7);
  EXPECT_EQ(trainer->seed, 42);
}

TEST(Seeds, ConfigVersusTrainer) {
  Config<train::Trainer> cfg;
  cfg.workdir = "/tmp/";

  std::shared_ptr<const train::Trainer> trainer = resolve<train::Trainer>(lower(cfg));
  EXPECT_EQ(trainer->workdir, "/tmp/");
  static_assert(std::is_const_v<decltype(trainer)::element_type>, "a trainer is never changed");
}

// docs/seeds.md names only tests that there are, as Suite.Case or Suite.*.
TEST(Seeds, TheTestsOfThePageExist) {
  std::set<std::string> known;
  static const std::regex kTest(R"(\bTEST(?:_[FP])?\((\w+),\s*(\w+)\))");
  for (const char* part : {"base", "cli", "flags", "kd", "konfig", "kontext", "kxm", "loader",
                           "tests", "tfimm", "tools"}) {
    const std::filesystem::path folder = std::filesystem::path(KD_SOURCE_DIR) / part;
    for (auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      const std::string name = entry.path().string();
      if (!name.ends_with("_test.cc")) continue;
      const std::string text = base::read_file(name);
      for (std::sregex_iterator it(text.begin(), text.end(), kTest), end; it != end; ++it) {
        known.insert((*it)[1].str() + "." + (*it)[2].str());
        known.insert((*it)[1].str() + ".*");
      }
    }
  }
  ASSERT_TRUE(known.contains("Seeds.ConfigSystem"));
  const std::string page = base::read_file(KD_SOURCE_DIR "/docs/seeds.md");
  static const std::regex kNamed(R"(`([A-Z]\w*\.(?:[A-Z]\w*|\*))`)");
  int named = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), kNamed), end; it != end; ++it) {
    ++named;
    EXPECT_TRUE(known.contains((*it)[1].str())) << (*it)[1].str();
  }
  EXPECT_GT(named, 40);
}

}  // namespace
