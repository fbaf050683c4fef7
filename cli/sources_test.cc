// Every kind of source that --cfg= takes, through the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "cli/spawn_test.h"
#include "test_paths.h"

namespace cli {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
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

TEST(Sources, ErrorsSayWhereANodeWasMade) {
  TempFolder folder;
  write_text(folder / "c.py",
             "from kauldron import konfig\n"
             "with konfig.imports():\n  from kauldron import kd\n  import optax\n"
             "def get_config():\n  cfg = kd.train.Trainer()\n"
             "  cfg.optimizer = optax.adam(learning_rate='fast')\n  return cfg\n");
  const std::string cfg = "--cfg=" + (folder / "c.py");
  EXPECT_THAT(kd({"config", "resolve", cfg}).err,
              HasSubstr("\n  made at " + (folder / "c.py") + ":7"));
  // One that came from the command line was not made there.
  EXPECT_THAT(
      kd({"config", "resolve", cfg, "--cfg.optimizer=py::optax.adam(learning_rate='x')"}).err,
      Not(HasSubstr("c.py:7")));
}

TEST(Sources, ErrorsSayWhereACcFileGivesAValue) {
  TempFolder folder;
  write_text(folder / "c.cc",
             "#include \"kd/kd.h\"\nusing namespace kd;\n"
             "Config<train::Trainer> get_config() {\n  Config<train::Trainer> cfg;\n"
             "  cfg.seed = 3;\n  cfg.train_ds = data::py::Json{.shuffle = true,\n"
             "                                .batch_size = 4};\n  return cfg;\n}\n"
             "KONFIG_EXPORT(get_config)\n");
  const std::string cfg = "--cfg=" + (folder / "c.cc");
  EXPECT_THAT(kd({"config", "resolve", cfg}).err,
              HasSubstr("\n  made at " + (folder / "c.cc") + ":6"));
  EXPECT_THAT(
      kd({"config", "resolve", cfg, "--cfg.train_ds=py::kd.data.py.Json(shuffle=True)"}).err,
      Not(HasSubstr("c.cc:6")));
}

TEST(Sources, ASweepThatFailsIsNamed) {
  TempFolder folder;
  write_text(folder / "c.py",
             "def get_config():\n  return {'x': 0}\n"
             "def sweep_bad():\n  yield {'x': 1 / 0}\n"
             "def sweep_good():\n  yield {'x': 1}\n");
  const std::string cfg = "--cfg=" + (folder / "c.py");
  Outcome run = kd({"config", "sweep", cfg});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_EQ(run.out, "sweep_good: 1 item\n  [0] x: 0 -> 1\n");
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: sweep_bad(): "));
  EXPECT_THAT(run.first_error_line(), HasSubstr("c.py:4: ZeroDivisionError"));
  run = kd({"config", "sweep", cfg, "good"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(kd({"config", "sweep", cfg, "bad"}).code, kFailure);
}

constexpr const char* kFile = R"(#include "kd/kd.h"
using namespace kd;
// Counts things.
struct Count {
  int most = 3;  // where it ends
};
KONFIG_LOCAL_COMPONENT(kd::Metric, Count);
struct Args {
  int seed = 5;            // where chance starts
  std::string note = "-";  // a word
};
static Config<train::Trainer> get_config(const Args& args) {
  Config<train::Trainer> cfg;
  cfg.seed = args.seed;
  cfg.setup.note_template = args.note;
  cfg.train_metrics["count"] = Count{.most = 4};
  return cfg;
}
KONFIG_EXPORT(get_config)
static std::vector<konfig::Dict> sweep() { return {{{"seed", 5}}, {{"seed", 6}}}; }
static std::vector<konfig::Dict> sweep_most() {
  std::vector<konfig::Dict> items;
  for (int most : {1, 2}) items.push_back({{"train_metrics.count.most", most}});
  return items;
}
KONFIG_SWEEP(sweep)
KONFIG_SWEEP(sweep_most)
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
  // And so are its arguments and sweeps.
  EXPECT_EQ(kd_cached({"config", "get", "seed", cfg + ":seed=1e2"}).out, "100\n");
  EXPECT_EQ(kd_cached({"config", "get", "setup.note_template", cfg, "--cfg.__args__.note=12"}).out,
            "12\n");
  EXPECT_THAT(kd_cached({"config", "get", "seed", cfg + ":sed=1"}).first_error_line(),
              HasSubstr("did you mean 'seed'?"));
  EXPECT_EQ(kd_cached({"config", "sweep", cfg}).out,
            "sweep: 2 items\n"
            "  [0] seed: 5\n"
            "  [1] seed: 5 -> 6\n"
            "sweep_most: 2 items\n"
            "  [0] train_metrics.count.most: 4 -> 1\n"
            "  [1] train_metrics.count.most: 4 -> 2\n");
  EXPECT_EQ(kd_cached({"config", "sweep", cfg, "most", "sweep", "--format=json"}).out,
            "{\"train_metrics.count.most\": 1, \"seed\": 5}\n"
            "{\"train_metrics.count.most\": 1, \"seed\": 6}\n"
            "{\"train_metrics.count.most\": 2, \"seed\": 5}\n"
            "{\"train_metrics.count.most\": 2, \"seed\": 6}\n");
  EXPECT_THAT(kd_cached({"config", "sweep", cfg, "mst"}).first_error_line(),
              StartsWith("kd: error: no sweep 'mst'; did you mean 'most'?"));
}

TEST(Sources, CompilerErrors) {
  TempFolder folder;
  std::string text = kFile;
  text.replace(text.find("cfg.seed"), 8, "cfg.sede");
  write_text(folder / "c.cc", text);
  const Outcome run = kd_cached({"config", "show", "--cfg=" + (folder / "c.cc")});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: "));
  EXPECT_THAT(run.err, HasSubstr("c.cc:14"));
  EXPECT_THAT(run.err, HasSubstr("sede"));
}

TEST(Sources, PythonFile) {
  EXPECT_EQ(kd({"config", "get", "num_train_steps", kSweep}).out, "10\n");
}

TEST(Sources, PythonFunctionsSeeOverrides) {
  TempFolder folder;
  write_text(folder / "c.py", R"(from kauldron import konfig
def get_config():
  cfg = konfig.ConfigDict({"seed": 1, "name": "x"})
  cfg.run = konfig.ref_fn(lambda s, n: f"{n}-{s}", cfg.ref.seed, cfg.ref.name)
  return cfg
)");
  const std::string cfg = "--cfg=" + (folder / "c.py");
  EXPECT_EQ(kd({"config", "get", "run", cfg}).out, "x-1\n");
  EXPECT_EQ(kd({"config", "get", "run", cfg, "--cfg.seed=7"}).out, "x-7\n");
  // As the field wants it: text, a whole number, the word behind the flag.
  EXPECT_EQ(kd({"config", "get", "run", cfg, "--cfg.name=12", "--cfg.seed=1e3"}).out, "12-1000\n");
  EXPECT_EQ(kd({"config", "get", "run", cfg, "--cfg.seed", "8"}).out, "x-8\n");
  EXPECT_EQ(kd({"config", "get", "run", cfg, "--cfg.seed=7", "--cfg.run=5"}).out, "5\n");
  EXPECT_EQ(kd({"config", "diff", cfg, "--cfg.seed=2"}).out, "seed: 1 -> 2\nrun: 'x-1' -> 'x-2'\n");
}

TEST(Sources, Arguments) {
  TempFolder folder;
  write_text(folder / "text.py", "def get_config(text='none'):\n  return {'text': text}\n");
  const std::string text = "--cfg=" + (folder / "text.py");
  EXPECT_EQ(kd({"config", "get", "text", text}).out, "none\n");
  EXPECT_EQ(kd({"config", "get", "text", text + ":a b:c=d"}).out, "a b:c=d\n");
  write_text(folder / "args.py", R"(import dataclasses
@dataclasses.dataclass(frozen=True)
class ConfigArgs:
  name: str = "a"
  size: int = 3
def get_config(args=ConfigArgs()):
  return {"name": args.name, "size": args.size}
)");
  const std::string args = "--cfg=" + (folder / "args.py");
  const auto json = [](const std::vector<std::string>& flags) {
    std::vector<std::string> words = {"config", "show", "--format=json"};
    words.insert(words.end(), flags.begin(), flags.end());
    return kd(words).out;
  };
  EXPECT_EQ(json({args + ":name=0x10,size=1e3"}),
            "{\n  \"name\": \"0x10\",\n  \"size\": 1000\n}\n");
  EXPECT_EQ(json({args + ":size=4", "--cfg.__args__.size=5", "--cfg.__args__.name=12"}),
            "{\n  \"name\": \"12\",\n  \"size\": 5\n}\n");
  Outcome run = kd({"config", "show", args + ":siez=4"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), HasSubstr("no field 'siez'; did you mean 'size'?"));
  run = kd({"config", "show", args + ":oops"});
  EXPECT_THAT(run.first_error_line(), HasSubstr("cannot read the arguments 'oops'"));
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

// Its arguments choose what the config is, and the overrides what an item changes.
TEST(Sweep, WithArgumentsAndOverrides) {
  TempFolder folder;
  write_text(folder / "c.py", R"(from kauldron import konfig
def get_config(text="1"):
  return konfig.ConfigDict({"seed": int(text), "part": {"x": [1]}})
def sweep():
  for seed in (1, 2):
    yield {"seed": seed, "part.x": [1, 2], "part.y": konfig.ConfigDict({"z": None})}
)");
  EXPECT_EQ(kd({"config", "sweep", "--cfg=" + (folder / "c.py") + ":2", "--cfg.part.x=[1,2]"}).out,
            "sweep: 2 items\n"
            "  [0] seed: 2 -> 1, part.x: [1, 2], part.y: {'z': None}\n"
            "  [1] seed: 2, part.x: [1, 2], part.y: {'z': None}\n");
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
