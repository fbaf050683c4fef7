// Completion: the hidden command and the scripts that call it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/completion.h"
#include "cli/spawn_test.h"

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
  EXPECT_THAT(candidates({"config", "show", kCfg, "--cfg.train_ds.transforms"}),
              ElementsAre("--cfg.train_ds.transforms", "--cfg.train_ds.transforms[0].",
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
  EXPECT_EQ(kd({"completion", "bash"}).out, completion_script("bash"));
  EXPECT_THAT(completion_script("zsh"), StartsWith("#compdef kd\n"));
  for (auto& shell : shells()) {
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
  const Outcome run = spawn("/bin/bash", {"-c", script, KD_BINARY_DIR "/kd", line, last_word});
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

}  // namespace
}  // namespace cli
