// The real program, command by command: what it prints and how it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/lines.h"
#include "cli/program.h"
#include "cli/spawn_test.h"
#include "konfig/json.h"
#include "konfig/registry.h"
#include "konfig/yaml.h"
#include "loader/loader.h"
#include "test_paths.h"

namespace cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kCfg = "--cfg=mnist_autoencoder";

konfig::ConfigDict autoencoder() { return loader::load({.source = "mnist_autoencoder"}); }

// ---- show.

TEST(KdShow, PrintsHeaderAndConfig) {
  const Outcome run =
      kd({"config", "show", kCfg, "--cfg.seed=7", "--cfg.optimizer.learning_rate=1e-4"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, StartsWith("========= Config =========\n"
                                  "Filename: mnist_autoencoder\n"
                                  "Overrides:\n {"));
  EXPECT_THAT(run.out, HasSubstr("'optimizer.learning_rate': 0.0001"));
  EXPECT_THAT(run.out, HasSubstr("\n\n<ConfigDict[kd.train.Trainer(\n"));
  EXPECT_THAT(run.out, HasSubstr("    seed=7,\n"));
  EXPECT_THAT(run.out, HasSubstr("optax.adam(learning_rate=0.0001)"));
  EXPECT_THAT(run.err, IsEmpty());
}

TEST(KdShow, NoOverridesNoSection) {
  const Outcome run = kd({"config", "show", kCfg});
  EXPECT_THAT(run.out, Not(HasSubstr("Overrides:")));
  EXPECT_THAT(run.out, Not(HasSubstr("\x1b")));
}

TEST(KdShow, JsonIsOnlyJson) {
  const Outcome run = kd({"config", "show", kCfg, "--format=json"});
  ASSERT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(konfig::to_json(konfig::config_from_json(run.out)), konfig::to_json(autoencoder()));
}

TEST(KdShow, YamlIsOnlyYaml) {
  const Outcome run = kd({"config", "show", kCfg, "--format=yaml"});
  ASSERT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(konfig::to_json(konfig::config_from_yaml(run.out)), konfig::to_json(autoencoder()));
}

TEST(KdShow, Path) {
  EXPECT_EQ(kd({"config", "show", kCfg, "--path=model.encoder"}).out,
            "<ConfigDict[nn.Dense(features=128)]>\n");
  EXPECT_EQ(kd({"config", "show", kCfg, "--path", "optimizer.learning_rate"}).out, "0.003\n");
  const Outcome json = kd({"config", "show", kCfg, "--path=model.encoder", "--format=json"});
  EXPECT_EQ(konfig::to_json(konfig::parse_json(json.out)),
            R"({"__qualname__": "flax.linen:Dense", "features": 128})");
}

TEST(KdShow, MissingPathNamesTheNearest) {
  const Outcome run = kd({"config", "show", kCfg, "--path=model.encodr"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: cfg.model.encodr: "));
  EXPECT_THAT(run.first_error_line(), HasSubstr("did you mean 'encoder'?"));
  EXPECT_THAT(run.out, IsEmpty());
}

TEST(KdShow, NoConfig) {
  const Outcome run = kd({"config", "show"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: no config: add --cfg="));
  EXPECT_THAT(run.err, HasSubstr("Try: kd config show --help\n"));
}

TEST(KdShow, UnknownConfigNamesTheNearest) {
  const Outcome run = kd({"config", "show", "--cfg=mnist_autoencodr"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: "));
  EXPECT_THAT(run.err, HasSubstr("mnist_autoencoder"));
}

TEST(KdShow, ReadsStandardInput) {
  const Outcome run =
      kd({"config", "show", "--cfg=-", "--path=a.b"}, {.input = R"({"a": {"b": 5}})"});
  EXPECT_EQ(run.out, "5\n") << run.err;
}

TEST(KdShow, HelpListsTheFieldsOfTheConfig) {
  const Outcome run = kd({"config", "show", kCfg, "--help", "--cfg.seed=7"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\n  PATH "));
  EXPECT_THAT(base::lines_of(run.out),
              ::testing::Contains(MatchesRegex("  seed +int +7 +every random number .*")));
  EXPECT_THAT(base::lines_of(run.out),
              ::testing::Contains(MatchesRegex("  optimizer.b1 +float +.0.9. +decay of .*")));
  EXPECT_THAT(
      base::lines_of(run.out),
      ::testing::Contains(MatchesRegex("  train_ds.transforms.0..keep +list.str. +..image.. .*")));
  EXPECT_EQ(kd({"config", "help", kCfg, "--cfg.seed=7"}).out, run.out);
}

// ---- resolve.

TEST(KdResolve, FillsInDefaults) {
  const Outcome run = kd({"config", "resolve", kCfg});
  ASSERT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, StartsWith("======== Resolved Config ========\nkd.train.Trainer(\n"));
  EXPECT_THAT(run.out, HasSubstr("        b1=0.9,\n"));
  EXPECT_THAT(run.out, HasSubstr("    log_metrics_every=100,\n"));
  EXPECT_THAT(run.out, HasSubstr("    workdir=None,\n"));  // a run would choose it
  EXPECT_THAT(run.out, ::testing::EndsWith("\nSuccessfully resolved config!\n"));
}

TEST(KdResolve, JsonOfAPart) {
  const Outcome run = kd({"config", "resolve", kCfg, "--path=optimizer", "--format=json"});
  ASSERT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(konfig::to_json(konfig::parse_json(run.out)),
              StartsWith(R"({"__qualname__": "optax:adam", "learning_rate": 0.003, "b1": 0.9, )"));
}

TEST(KdResolve, ErrorsStartWithThePath) {
  const Outcome run =
      kd({"config", "resolve", "--cfg=-"},
         {.input = R"({"opt": {"__qualname__": "optax:adam", "learning_rate": "fast"}})"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: cfg.opt.learning_rate: expected "));
  EXPECT_THAT(run.out, IsEmpty());
}

TEST(KdResolve, UnknownNameNamesTheNearest) {
  const Outcome run =
      kd({"config", "resolve", "--cfg=-"}, {.input = R"({"opt": {"__qualname__": "optax:adm"}})"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: cfg.opt: "));
  EXPECT_THAT(run.first_error_line(), HasSubstr("optax:adam"));
}

// Names of functions are known without the engine, and Python's own to everyone.
TEST(KdResolve, FunctionsUnionsAndPartials) {
  auto resolved = [](const std::string& json) {
    const Outcome run = kd({"config", "resolve", "--cfg=-", "--path=x", "--format=json"},
                           {.input = "{\"x\": " + json + "}"});
    return run.code == kFine ? konfig::to_json(konfig::parse_json(run.out)) : run.err;
  };
  EXPECT_THAT(resolved(R"({"__qualname__": "kauldron.kd:nn.Sequential", "layers":
                          [{"__qualname__": "flax.linen:Dense", "features": 3},
                           {"__const__": "flax.linen:relu"}]})"),
              HasSubstr(R"({"__const__": "flax.linen:relu"})"));
  const std::string partial =
      R"({"__qualname__": "functools:partial", "0": {"__const__": "jax.nn:relu"}, "k": 2})";
  EXPECT_EQ(resolved(partial), partial);
  EXPECT_THAT(
      resolved(R"({"__qualname__": "kauldron.kd:nn.Sequential", "layers": [)" + partial + "]}"),
      HasSubstr("expected a module or a function of one tensor, got a functools.partial, "
                "which nothing here calls; write a function or a struct in C++"));
  EXPECT_THAT(resolved(R"({"__qualname__": "functools:partial", "0": 3})"),
              HasSubstr("cfg.x: expected a function in front, got 3"));
  const std::string either =
      R"({"__qualname__": "typing:Union", "0": {"__const__": "builtins:object"}, "1": null})";
  EXPECT_EQ(resolved(either), either);
}

TEST(KdResolve, NamesOfTheReferenceAndOurs) {
  auto resolved = [](const std::string& flag) {
    return kd({"config", "resolve", kCfg, flag, "--format=json"});
  };
  Outcome run = resolved("--cfg.train_ds.batch_drop_remainder=py::kd.data.py.DropRemainder.PAD");
  EXPECT_THAT(run.out, HasSubstr(R"("batch_drop_remainder": "pad")")) << run.err;
  run = resolved(
      "--cfg.train_ds=py::kd.data.py.DataSource(shuffle=False, "
      "data_source=kd.data.Npz(path='x.npz'))");
  EXPECT_THAT(run.out, HasSubstr(R"("__qualname__": "kd.data:Npz")")) << run.err;
  run = resolved("--cfg.train_ds.transforms=py::[kd.contrib.data.AddConstants(values={'a': 1})]");
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(resolved("--cfg.optimizer=py::kd.optim.ema_params(0.9)").err,
              HasSubstr("cfg.optimizer: takes named arguments only"));
  EXPECT_EQ(resolved("--cfg.optimizer=py::kd.optim.ema_params(decay=0.9)").code, kFine);
}

// ---- get, list.

TEST(KdGet, TextRawElseJson) {
  EXPECT_EQ(kd({"config", "get", "model.inputs", kCfg}).out, "batch.image\n");
  EXPECT_EQ(kd({"config", "get", "seed", kCfg}).out, "42\n");
  EXPECT_EQ(kd({"config", "get", "checkpointer", kCfg, "--cfg.checkpointer=None"}).out, "null\n");
  EXPECT_EQ(kd({"config", "get", "train_ds.transforms[0].keep", kCfg}).out, "[\"image\"]\n");
  EXPECT_EQ(kd({"config", "get", "model.encoder", kCfg}).out,
            "{\"__qualname__\": \"flax.linen:Dense\", \"features\": 128}\n");
}

TEST(KdGet, AppliesOverrides) {
  EXPECT_EQ(kd({"config", "get", "seed", kCfg, "--cfg.seed=3"}).out, "3\n");
  // The value may follow as a word: the field is a number.
  EXPECT_EQ(kd({"config", "get", "seed", kCfg, "--cfg.seed", "4"}).out, "4\n");
  EXPECT_EQ(kd({"config", "get", kCfg, "--cfg.seed", "4", "seed"}).out, "4\n");
  EXPECT_EQ(kd({"config", "get", "train_ds.shuffle", kCfg, "--nocfg.train_ds.shuffle"}).out,
            "false\n");
}

TEST(KdGet, Errors) {
  Outcome run = kd({"config", "get", kCfg});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(), "kd: error: PATH is missing");
  run = kd({"config", "get", "optimizer.lerning_rate", kCfg});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: cfg.optimizer.lerning_rate: "));
  EXPECT_THAT(run.first_error_line(), HasSubstr("did you mean 'learning_rate'?"));
  run = kd({"config", "get", "a[", kCfg});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: "));
}

TEST(KdList, Names) {
  const Outcome run = kd({"config", "list"});
  EXPECT_EQ(run.code, kFine);
  EXPECT_THAT(base::lines_of(run.out), ::testing::Contains("mnist_autoencoder"));
}

// ---- fields.

TEST(KdFields, OfAType) {
  for (const char* name : {"optax:adam", "optax.adam", "adam", "Adam", "kd::optim::Adam"}) {
    const Outcome run = kd({"config", "fields", name});
    EXPECT_EQ(run.code, kFine) << run.err;
    EXPECT_THAT(base::lines_of(run.out),
                ::testing::Contains(MatchesRegex("  b1 +float +0.9 +decay of the first moment")));
  }
  const Outcome trainer = kd({"config", "fields", "kd.train.Trainer"});
  EXPECT_THAT(trainer.out, HasSubstr("kauldron.kd:train.Trainer"));
  EXPECT_THAT(base::lines_of(trainer.out),
              ::testing::Contains(MatchesRegex("  train_losses +dict.str, Loss. +.. .*")));
}

TEST(KdFields, Registry) {
  const Outcome run = kd({"config", "fields"});
  EXPECT_EQ(run.code, kFine);
  EXPECT_THAT(run.out, HasSubstr("\nOptimizer\n"));
  EXPECT_THAT(base::lines_of(run.out),
              ::testing::Contains(MatchesRegex("  optax.sgd +Stochastic .*")));
}

TEST(KdFields, UnknownNamesTheNearest) {
  const Outcome run = kd({"config", "fields", "Adm"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(),
              StartsWith("kd: error: no type is registered as 'Adm'; did you mean 'Adam'?"));
}

// ---- diff.

TEST(KdDiff, PathsWithOldAndNew) {
  const Outcome run = kd({"config", "diff", "mnist_autoencoder", "mnist_autoencoder", "--b.seed=1",
                          "--b.optimizer.b1=0.8", "--b.train_metrics={}"});
  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_THAT(
      base::lines_of(run.out),
      ::testing::UnorderedElementsAre("seed: 42 -> 1", "optimizer.b1: added 0.8",
                                      "train_metrics.latent_norm: removed "
                                      "kd.metrics.Norm(tensor='interms.encoder.__call__[0]')"));
}

TEST(KdDiff, OverridesOfOneConfig) {
  EXPECT_EQ(kd({"config", "diff", kCfg, "--cfg.seed=1"}).out, "seed: 42 -> 1\n");
  EXPECT_EQ(kd({"config", "diff", "mnist_autoencoder", "--a.seed=1", "--b.seed=2"}).out,
            "seed: 1 -> 2\n");
  EXPECT_EQ(kd({"config", "diff", kCfg, "--cfg.seed=1", "--format=json"}).out,
            "{\"path\": \"seed\", \"old\": 42, \"new\": 1}\n");
}

TEST(KdDiff, MovedKeysAreNoDifference) {
  TempFolder folder;
  write_text(folder / "a.json", R"({"x": {"p": 1, "q": [1, 2]}, "y": 2})");
  write_text(folder / "b.json", R"({"y": 2, "x": {"q": [1, 2], "p": 1}})");
  const Outcome run = kd({"config", "diff", folder / "a.json", folder / "b.json"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, IsEmpty());
}

TEST(KdDiff, AFileOfAConfigIsTheSameConfig) {
  TempFolder folder;
  for (const char* name : {"c.json", "c.yaml"}) {
    ASSERT_EQ(kd({"config", "set", kCfg, "--out=" + (folder / name)}).code, kFine);
    const Outcome run = kd({"config", "diff", "mnist_autoencoder", folder / name});
    EXPECT_EQ(run.code, kFine) << run.out;
  }
}

TEST(KdDiff, Resolved) {
  const std::string plain = R"({"o": {"__qualname__": "optax:adam", "learning_rate": 1}})";
  TempFolder folder;
  write_text(folder / "a.json", plain);
  const std::string other =
      R"({"o": {"__qualname__": "optax:adam", "learning_rate": 1.0, "b1": 0.9, "b2": 0.99}})";
  const Outcome run = kd({"config", "diff", folder / "a.json", "-", "--resolve"}, {.input = other});
  EXPECT_EQ(run.out, "o.b2: 0.999 -> 0.99\n") << run.err;
}

TEST(KdDiff, Usage) {
  EXPECT_EQ(kd({"config", "diff"}).first_error_line(),
            "kd: error: diff compares two configs: kd config diff A B");
  EXPECT_EQ(kd({"config", "diff", "a", "b", "c"}).code, kUsage);
  EXPECT_EQ(kd({"config", "diff", "-", "-"}).code, kUsage);
  EXPECT_EQ(kd({"config", "diff", "mnist_autoencoder", "no_such"}).code, kFailure);
}

// ---- set.

TEST(KdSet, WritesTheOverriddenConfig) {
  TempFolder folder;
  const Outcome run = kd({"config", "set", kCfg, "--cfg.seed=9", "--out=" + (folder / "c.json")});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(konfig::config_from_json(read_text(folder / "c.json"))["seed"].as<std::int64_t>(), 9);
  EXPECT_THAT(folder.names(), ElementsAre("c.json"));
}

TEST(KdSet, ReplacesItsOwnSource) {
  TempFolder folder;
  const std::string file = folder / "c.yaml";
  write_text(file, "a: 1\nb: x\n");
  EXPECT_EQ(kd({"config", "set", "--cfg=" + file, "--cfg.a=2", "--out=" + file}).code, kFine);
  EXPECT_EQ(kd({"config", "get", "a", "--cfg=" + file}).out, "2\n");
  EXPECT_THAT(folder.names(), ElementsAre("c.yaml"));
}

TEST(KdSet, Errors) {
  TempFolder folder;
  Outcome run = kd({"config", "set", kCfg});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(), "kd: error: --out is missing");
  run = kd({"config", "set", kCfg, "--out=" + (folder / "c.txt")});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: --out: expected a file that ends in"));
  run = kd({"config", "set", kCfg, "--out=" + (folder / "none/c.json")});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(),
              MatchesRegex("kd: error: cannot write .*/none/c.json: No .*"));
  EXPECT_THAT(folder.names(), IsEmpty());
}

// The old file stays, and nothing lies beside it.
TEST(KdSet, NoRoom) {
  TempFolder folder;
  write_text(folder / "c.json", "{}");
  const std::string command =
      KD_BINARY_DIR "/kd config set " + kCfg + " --out=" + (folder / "c.json");
  const Outcome run = spawn("/bin/sh", {"-c", "ulimit -f 1; " + command});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(),
              MatchesRegex("kd: error: cannot write .*/c.json: File too .*"));
  EXPECT_EQ(read_text(folder / "c.json"), "{}");
  EXPECT_THAT(folder.names(), ElementsAre("c.json"));
}

TEST(KdSet, FullDisk) {
  TempFolder folder;
  // A file system of its own that is filled up before the program runs.
  const std::string script =
      "mount -t tmpfs -o size=8k none " + folder.path() + " || exit 77; cd " + folder.path() +
      "; echo {} >c.json; cat /dev/zero >fill 2>/dev/null; " KD_BINARY_DIR "/kd config set " +
      kCfg + " --out=c.json; echo $?; cat c.json; ls -A";
  const Outcome run = spawn("/bin/sh", {"-c", "unshare -m /bin/sh -c '" + script + "' || exit 77"});
  if (run.code == 77) GTEST_SKIP() << "mounting needs rights: " << run.err;
  EXPECT_EQ(run.out, "1\n{}\nc.json\nfill\n");
  EXPECT_EQ(run.first_error_line(), "kd: error: cannot write c.json: No space left on device");
}

TEST(KdSet, BadOverrideWritesNothing) {
  TempFolder folder;
  const Outcome run = kd({"config", "set", kCfg, "--cfg.seed=abc", "--out=" + (folder / "c.json")});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), HasSubstr("seed"));
  EXPECT_THAT(folder.names(), IsEmpty());
}

// ---- The program as a whole.

TEST(Kd, HelpOfEachCommand) {
  EXPECT_THAT(kd({"--help"}).out, HasSubstr("Usage: kd COMMAND"));
  EXPECT_EQ(kd({"help"}).out, kd({"--help"}).out);
  EXPECT_THAT(kd({"config", "--help"}).out, HasSubstr("--cfg.PATH=VALUE"));
  for (const char* name :
       {"show", "resolve", "diff", "set", "get", "fields", "sweep", "list", "help"}) {
    const Outcome run = kd({"config", name, "-h"});
    EXPECT_EQ(run.code, kFine) << run.err;
    EXPECT_THAT(run.out, HasSubstr(std::string("Usage: kd config ") + name));
    EXPECT_THAT(run.out, HasSubstr("Example"));
  }
}

TEST(Kd, Version) { EXPECT_THAT(kd({"--version"}).out, MatchesRegex("kd [0-9.]+\n")); }

TEST(Kd, UnknownWordsNameTheNearest) {
  struct Case {
    std::vector<std::string> args;
    std::string first_line;
  };
  const Case cases[] = {
      {{"confg"}, "kd: error: unknown command 'kd confg'; did you mean 'config'?"},
      {{"config", "shwo"}, "kd: error: unknown command 'kd config shwo'; did you mean 'show'?"},
      {{"config", "show", kCfg, "--fromat=json"},
       "kd: error: unknown flag --fromat; did you mean '--format'?"},
      {{"config", "show", kCfg, "--format=jsn"},
       "kd: error: --format: expected py, json or yaml, got 'jsn'; did you mean 'json'?"},
      {{"config", "show", "mnist_autoencoder"},
       "kd: error: unexpected argument 'mnist_autoencoder'; did you mean "
       "--cfg=mnist_autoencoder?"},
      {{"completion", "bsh"},
       "kd: error: SHELL: expected bash, zsh or fish, got 'bsh'; did you mean 'bash'?"},
      {{}, "kd: error: which command?"},
      {{"config"}, "kd: error: which command?"},
  };
  for (auto& c : cases) {
    const Outcome run = kd(c.args);
    EXPECT_EQ(run.code, kUsage);
    EXPECT_THAT(run.first_error_line(), StartsWith(c.first_line));
    EXPECT_THAT(run.out, IsEmpty());
  }
}

TEST(Kd, BadOverrides) {
  Outcome run = kd({"config", "show", kCfg, "--cfg.optimzer.b1=3"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: "));
  EXPECT_THAT(run.first_error_line(), HasSubstr("did you mean 'optimizer'?"));
  run = kd({"config", "show", "--cfg.seed=3", kCfg});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.first_error_line(), HasSubstr("--cfg.seed=3"));
}

TEST(Kd, ColoursOnATerminalOnly) {
  const std::vector<std::string> diff = {"config", "diff", kCfg, "--cfg.seed=1"};
  const std::pair<std::string, std::string> term = {"TERM", "xterm"};
  EXPECT_THAT(kd(diff, {.env = {term}}).out, Not(HasSubstr("\x1b")));
  // An empty NO_COLOR counts as none.
  EXPECT_THAT(kd(diff, {.env = {term, {"NO_COLOR", ""}}, .terminal = true}).out,
              HasSubstr("\x1b["));
  EXPECT_THAT(kd(diff, {.env = {term, {"NO_COLOR", "1"}}, .terminal = true}).out,
              Not(HasSubstr("\x1b")));
  EXPECT_THAT(kd(diff, {.env = {{"TERM", "dumb"}, {"NO_COLOR", ""}}, .terminal = true}).out,
              Not(HasSubstr("\x1b")));
  const std::vector<std::string> wrong = {"confg"};
  EXPECT_THAT(kd(wrong, {.env = {term, {"NO_COLOR", ""}}, .terminal = true}).out,
              HasSubstr("\x1b["));
}

TEST(Kd, OutputThatCannotBeWritten) {
  const Outcome run =
      spawn("/bin/sh", {"-c", KD_BINARY_DIR "/kd config show " + kCfg + " >/dev/full"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: cannot write to standard output: "));
}

TEST(Kd, LeavesNothingInTheTemporaryFolder) {
  TempFolder folder;
  const SpawnOptions options = {.env = {{"TMPDIR", folder.path()}}, .folder = folder.path()};
  for (const char* name : {"show", "resolve", "help"}) kd({"config", name, kCfg}, options);
  kd({"config", "diff", kCfg, "--cfg.seed=1"}, options);
  EXPECT_THAT(folder.names(), IsEmpty());
}

}  // namespace
}  // namespace cli
