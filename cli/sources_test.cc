// Every kind of source that --cfg= takes, through the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "cli/spawn_test.h"

namespace cli {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

const std::string kSweep = "--cfg=" KD_SOURCE_DIR "/tests/configs_py/sweep.py";

// Compiled configs are kept in the build folder, so that only the first test run waits for them.
const SpawnOptions kCache = {.env = {{"XDG_CACHE_HOME", KD_BINARY_DIR "/cli_test_cache"}}};

Outcome kd_cached(const std::vector<std::string>& args) { return kd(args, kCache); }

TEST(Sources, JsonAndYaml) {
  TempFolder folder;
  write_text(folder / "c.json", R"({"a": {"b": [1, 2]}})");
  write_text(folder / "c.yaml", "a:\n  b: [1, 2]\n");
  for (const char* name : {"c.json", "c.yaml"}) {
    EXPECT_EQ(kd({"config", "get", "a.b[1]", "--cfg=" + (folder / name)}).out, "2\n");
  }
  EXPECT_EQ(kd({"config", "get", "a", "--cfg=-"}, {.input = "a: x\n"}).out, "x\n");
}

TEST(Sources, MalformedFilesNameThePlace) {
  TempFolder folder;
  write_text(folder / "c.json", "{\n  \"a\": ]\n}\n");
  const Outcome run = kd({"config", "show", "--cfg=" + (folder / "c.json")});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: "));
  EXPECT_THAT(run.first_error_line(), HasSubstr("c.json"));
  EXPECT_THAT(run.first_error_line(), HasSubstr("line 2"));
}

TEST(Sources, MissingFile) {
  const Outcome run = kd({"config", "show", "--cfg=/no/such.json"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: /no/such.json: no such file"));
}

constexpr const char* kFile = R"(#include "kd/kd.h"
using namespace kd;
// Counts things.
struct Count {
  int most = 3;  // where it ends
};
KONFIG_LOCAL_COMPONENT(kd::Metric, Count);
static Config<train::Trainer> get_config() {
  Config<train::Trainer> cfg;
  cfg.seed = 5;
  cfg.train_metrics["count"] = Count{.most = 4};
  return cfg;
}
KONFIG_EXPORT(get_config)
)";

TEST(Sources, CompiledFile) {
  TempFolder folder;
  write_text(folder / "c.cc", kFile);
  const std::string cfg = "--cfg=" + (folder / "c.cc");
  const Outcome run = kd_cached({"config", "get", "train_metrics.count.most", cfg});
  EXPECT_EQ(run.out, "4\n") << run.err;
  // Its types are known to the other commands.
  EXPECT_THAT(kd_cached({"config", "fields", "Count", cfg}).out, HasSubstr("most"));
  EXPECT_EQ(kd_cached({"config", "resolve", cfg, "--path=train_metrics.count.most"}).out, "4\n");
  EXPECT_EQ(kd_cached({"config", "diff", cfg, "--cfg.train_metrics.count.most=3"}).out,
            "train_metrics.count.most: 4 -> 3\n");
}

TEST(Sources, CompilerErrors) {
  TempFolder folder;
  std::string text = kFile;
  text.replace(text.find("cfg.seed"), 8, "cfg.sede");
  write_text(folder / "c.cc", text);
  const Outcome run = kd_cached({"config", "show", "--cfg=" + (folder / "c.cc")});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: "));
  EXPECT_THAT(run.err, HasSubstr("c.cc:10"));
  EXPECT_THAT(run.err, HasSubstr("sede"));
}

TEST(Sources, PythonFile) {
  EXPECT_EQ(kd({"config", "get", "num_train_steps", kSweep}).out, "10\n");
}

TEST(Sweep, ItemsAndWhatEachChanges) {
  const Outcome run = kd({"config", "sweep", kSweep});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, StartsWith("sweep: 4 items\n"
                                  "  [0] seed: 0, optimizer[0]: 0.001\n"
                                  "  [1] seed: 0, optimizer[0]: 0.001 -> 0.0001\n"
                                  "  [2] seed: 0 -> 1, optimizer[0]: 0.001\n"));
  EXPECT_THAT(run.out,
              HasSubstr("[0] optimizer: optax.adam(...) -> optax.sgd(learning_rate=0.1, "));
}

TEST(Sweep, ByName) {
  EXPECT_THAT(kd({"config", "sweep", kSweep, "optimizer"}).out, StartsWith("optimizer: 2 items\n"));
  EXPECT_THAT(kd({"config", "sweep", kSweep, "sweep_optimizer", "sweep"}).out,
              StartsWith("sweep_optimizer x sweep: 8 items\n"));
  EXPECT_THAT(kd({"config", "sweep", kSweep, "optimizer", "--format=json"}).out,
              StartsWith(R"({"optimizer": {"__qualname__": "optax:sgd", "learning_rate": 0.1, )"));
}

TEST(Sweep, Errors) {
  Outcome run = kd({"config", "sweep", kSweep, "optimzer"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_EQ(run.first_error_line(),
            "kd: error: no sweep 'optimzer'; did you mean 'optimizer'? (there are: sweep, kinds, "
            "optimizer)");
  run = kd({"config", "sweep", "--cfg=mnist_autoencoder"});
  EXPECT_EQ(run.code, kFine);
  EXPECT_THAT(run.err, MatchesRegex("kd: mnist_autoencoder has no sweeps\n"));
}

}  // namespace
}  // namespace cli
