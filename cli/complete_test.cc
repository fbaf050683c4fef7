// Completion: the hidden command and the scripts that call it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "cli/completion.h"
#include "cli/spawn_test.h"
#include "test_paths.h"

namespace cli {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;

const std::string kCfg = "--cfg=mnist_autoencoder";

// The candidates without their notes.
std::vector<std::string> candidates(std::vector<std::string> words, SpawnOptions options = {}) {
  words.insert(words.begin(), "__complete");
  const Outcome run = kd(words, options);
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  std::vector<std::string> out;
  std::string line;
  for (char c : run.out) {
    if (c != '\n') {
      line += c;
      continue;
    }
    out.push_back(line.substr(0, line.find('\t')));
    line.clear();
  }
  return out;
}

TEST(Complete, Commands) {
  EXPECT_THAT(candidates({""}), IsSupersetOf({"completion", "config", "help"}));
  EXPECT_THAT(candidates({"conf"}), ElementsAre("config"));
  EXPECT_THAT(candidates({"config", "s"}), ElementsAre("set", "show", "sweep"));
  EXPECT_THAT(candidates({"completion", ""}), ElementsAre("bash", "fish", "zsh"));
}

TEST(Complete, Flags) {
  EXPECT_THAT(candidates({"config", "show", "--"}),
              ElementsAre("--cfg=", "--format=", "--help", "--path="));
  EXPECT_THAT(candidates({"config", "show", kCfg, "--c"}), ElementsAre("--cfg."));
  EXPECT_THAT(candidates({"config", "show", "--format="}),
              ElementsAre("--format=json", "--format=py", "--format=yaml"));
  EXPECT_THAT(candidates({"config", "show", "--format", "y"}), ElementsAre("yaml"));
  EXPECT_THAT(candidates({"config", "diff", "--res"}), ElementsAre("--resolve"));
}

// Those that compute, too.
TEST(Complete, EachVerbThatTakesAConfig) {
  for (const std::vector<std::string>& verb :
       std::vector<std::vector<std::string>>{{"train"},
                                             {"check"},
                                             {"eval"},
                                             {"inspect"},
                                             {"launch"},
                                             {"run", "eval_shape"},
                                             {"data", "show"},
                                             {"data", "spec"},
                                             {"data", "stats"},
                                             {"config", "get"}}) {
    const auto typed = [&](std::vector<std::string> words) {
      words.insert(words.begin(), verb.begin(), verb.end());
      return candidates(words);
    };
    EXPECT_THAT(typed({"--cfg"}), Contains("--cfg=")) << verb.back();
    EXPECT_THAT(typed({kCfg, "--cfg.op"}), ElementsAre("--cfg.optimizer.")) << verb.back();
  }
}

TEST(Complete, ConfigNamesAndFiles) {
  TempFolder folder;
  write_text(folder / "my.json", "{}");
  write_text(folder / "my.txt", "");
  const SpawnOptions options = {.folder = folder.path()};
  EXPECT_THAT(candidates({"config", "show", "--cfg=mn"}, options),
              Contains("--cfg=mnist_autoencoder"));
  EXPECT_THAT(candidates({"config", "show", "--cfg=my"}, options), ElementsAre("--cfg=my.json"));
  EXPECT_THAT(candidates({"config", "diff", "my"}, options), ElementsAre("my.json"));
}

TEST(Complete, OverridePaths) {
  EXPECT_THAT(candidates({"config", "show", kCfg, "--cfg.op"}), ElementsAre("--cfg.optimizer."));
  EXPECT_THAT(candidates({"config", "show", kCfg, "--cfg.optimizer."}),
              IsSupersetOf({"--cfg.optimizer.b1=", "--cfg.optimizer.b2=", "--cfg.optimizer.eps=",
                            "--cfg.optimizer.learning_rate="}));
  EXPECT_THAT(candidates({"config", "show", kCfg, "--cfg.train_ds.trans"}),
              ElementsAre("--cfg.train_ds.transforms=", "--cfg.train_ds.transforms["));
  EXPECT_THAT(candidates({"config", "show", kCfg, "--cfg.train_ds.transforms"}),
              ElementsAre("--cfg.train_ds.transforms=", "--cfg.train_ds.transforms[0].",
                          "--cfg.train_ds.transforms[1]."));
  EXPECT_THAT(candidates({"config", "show", kCfg, "--nocfg.train_ds.shu"}),
              ElementsAre("--nocfg.train_ds.shuffle"));
}

TEST(Complete, OverrideValues) {
  EXPECT_THAT(candidates({"config", "show", kCfg, "--cfg.train_ds.shuffle=t"}),
              ElementsAre("--cfg.train_ds.shuffle=true"));
  EXPECT_THAT(candidates({"config", "show", kCfg, "--cfg.optimizer.__qualname__=optax:s"}),
              Contains("--cfg.optimizer.__qualname__=optax:sgd"));
}

TEST(Complete, Arguments) {
  EXPECT_THAT(candidates({"config", "get", kCfg, "model.enc"}), ElementsAre("model.encoder"));
  EXPECT_THAT(candidates({"config", "get", kCfg, "model.encoder."}),
              ElementsAre("model.encoder.features"));
  EXPECT_THAT(candidates({"config", "fields", "optax.s"}), Contains("optax.sgd"));
}

TEST(Complete, NeverComplains) {
  EXPECT_THAT(candidates({"config", "show", "--cfg=no_such", "--cfg.a"}), IsEmpty());
  EXPECT_THAT(candidates({"config", "show", "--cfg.a"}), IsEmpty());
  EXPECT_THAT(candidates({"nonsense", ""}), Each(testing::Not(IsEmpty())));
}

TEST(Completion, Scripts) {
  EXPECT_EQ(kd({"completion", "bash"}).out, completion_script(Shell::bash));
  EXPECT_THAT(completion_script(Shell::zsh), StartsWith("#compdef kd\n"));
  for (const Shell shell : {Shell::bash, Shell::zsh, Shell::fish}) {
    EXPECT_NE(completion_script(shell).find("__complete"), std::string::npos);
  }
}

// Bash itself, with what it sets when a user presses the tab key.
std::string bash_replies(const std::string& line, const std::string& last_word) {
  const std::string script =
      "source <(\"$0\" completion bash)\n"
      "compopt() { echo nospace; }\n"
      "COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=(\"$0\" \"$2\") COMP_CWORD=1\n"
      "COMP_WORDBREAKS=$' \\t\\n=:'\n"
      "_kd && printf '%s\\n' \"${COMPREPLY[@]}\"\n";
  const std::string kd = KD_BINARY_DIR "/kd";
  const Outcome run = spawn("/bin/bash", {"-c", script, kd, line, last_word});
  EXPECT_EQ(run.err, "");
  return run.out;
}

TEST(Completion, Bash) {
  EXPECT_EQ(bash_replies("kd con", "con"), "config\n");
  EXPECT_EQ(bash_replies("kd config show --cfg=mnist_a", "mnist_a"), "mnist_autoencoder\n");
  EXPECT_EQ(bash_replies("kd config show " + kCfg + " --cfg.op", "--cfg.op"),
            "nospace\n--cfg.optimizer.\n");
  EXPECT_EQ(bash_replies("kd config show " + kCfg + " --cfg.train_ds.shuffle=t", "t"), "true\n");
  EXPECT_THAT(
      bash_replies("kd config show " + kCfg + " --cfg.optimizer.__qualname__=optax:sg", "sg"),
      StartsWith("sgd\n"));
  EXPECT_THAT(bash_replies("kd config fields optax.sg", "optax.sg"), StartsWith("optax.sgd\n"));
}

// The lines of `text` without the notes behind the candidates.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    out.push_back(text.substr(at, text.find_first_of("\t\n", at) - at));
  }
  return out;
}

// The environment in which a shell finds kd by its name.
SpawnOptions with_kd() {
  const char* path = std::getenv("PATH");
  return {.env = {{"PATH", std::string(KD_BINARY_DIR ":") + (path ? path : "")}}};
}

// What fish offers for a line.
std::vector<std::string> fish_offers(const std::string& fish, const std::string& line) {
  TempFolder home;
  SpawnOptions options = with_kd();
  options.env.emplace_back("HOME", home.path());
  const Outcome run =
      spawn(fish, {"--no-config", "-c", "kd completion fish | source; complete -C '" + line + "'"},
            options);
  EXPECT_EQ(run.err, "");
  return words_of(run.out);
}

TEST(Completion, Fish) {
  const std::string fish = "/usr/bin/fish";
  if (!std::filesystem::exists(fish)) GTEST_SKIP() << "no fish";
  EXPECT_THAT(fish_offers(fish, "kd con"), ElementsAre("config"));
  EXPECT_THAT(fish_offers(fish, "kd config show --cfg=mnist_a"), Contains(kCfg));
  EXPECT_THAT(fish_offers(fish, "kd config show " + kCfg + " --cfg.op"),
              ElementsAre("--cfg.optimizer."));
  EXPECT_THAT(fish_offers(fish, "kd config show " + kCfg + " --cfg.train_ds.shuffle=t"),
              ElementsAre("--cfg.train_ds.shuffle=true"));
  EXPECT_THAT(fish_offers(fish, "kd config show --format "), ElementsAre("json", "py", "yaml"));
}

// The function of the zsh script with what zsh sets when a user presses the tab key. What it adds
// is printed: first `open` for candidates that take no blank behind them.
std::string zsh_adds(const std::string& zsh, const std::string& line, const std::string& prefix) {
  const std::string script =
      "compdef() { }\n"
      "compadd() {\n"
      "  local kind=whole\n"
      "  [[ $1 == -S ]] && kind=open\n"
      "  print -l $kind ${(P)@[-1]}\n"
      "}\n"
      "source <(kd completion zsh)\n"
      "words=(${=1} \"$2\") CURRENT=$#words PREFIX=$2\n"
      "_kd\n";
  const Outcome run = spawn(zsh, {"-f", "-c", script, "zsh", line, prefix}, with_kd());
  EXPECT_EQ(run.err, "");
  return run.out;
}

TEST(Completion, Zsh) {
  const std::string zsh = "/usr/bin/zsh";
  if (!std::filesystem::exists(zsh)) GTEST_SKIP() << "no zsh";
  EXPECT_EQ(zsh_adds(zsh, "kd", "con"), "whole\nconfig\n");
  EXPECT_EQ(zsh_adds(zsh, "kd config show " + kCfg, "--cfg.op"), "open\n--cfg.optimizer.\n");
  EXPECT_EQ(zsh_adds(zsh, "kd config show " + kCfg, "--cfg.train_ds.transforms\\[0"),
            "open\n--cfg.train_ds.transforms[0].\n");
  EXPECT_EQ(zsh_adds(zsh, "kd config show " + kCfg, "--cfg.train_ds.shuffle=t"),
            "whole\n--cfg.train_ds.shuffle=true\n");
}

TEST(Complete, WhatToLaunch) {
  EXPECT_THAT(candidates({"launch", "--"}), IsSupersetOf({"--xp=", "--xp.", "--sweep.", "--zip"}));
  EXPECT_THAT(candidates({"launch", "--xp=kd_"}),
              ElementsAre("--xp=kd_base", "--xp=kd_run", "--xp=kd_single"));
  EXPECT_THAT(candidates({"launch", "--xp.max"}), ElementsAre("--xp.max_parallel="));
  EXPECT_THAT(candidates({"launch", kCfg, "--sweep.see"}), ElementsAre("--sweep.seed="));
}

TEST(Complete, ValuesOfLaunches) {
  const TempFolder folder;
  const SpawnOptions here = {.env = {{"KD_STATE", folder / "state"}}, .folder = folder.path()};
  write_text(folder / "train.sh", "");
  EXPECT_THAT(candidates({"launch", "--on="}), ElementsAre("--on=local", "--on=slurm"));
  EXPECT_THAT(candidates({"launch", "--xp.target="}, here), Contains("--xp.target=train.sh"));
  EXPECT_THAT(candidates({"status", "1", "--state="}), IsSupersetOf({"--state=failed"}));
  EXPECT_THAT(candidates({"status", "1", "--state=failed,st"}),
              ElementsAre("--state=failed,stopped"));
  EXPECT_THAT(candidates({"results", "1", "--sort="}, here), IsEmpty());
  ASSERT_EQ(kd({"launch", "--xp=single", "--xp.target=/bin/true", "--sweep.lr=[1,2]"}, here).code,
            0);
  EXPECT_THAT(candidates({"results", "1", "--sort="}, here),
              IsSupersetOf({"--sort=lr", "--sort=step", "--sort=wid"}));
  EXPECT_THAT(candidates({"results", "1", "--sort=-l"}, here), ElementsAre("--sort=-lr"));
}

}  // namespace
}  // namespace cli
