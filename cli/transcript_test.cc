// What the docs tell to type works. In a block marked `console`, a line "$ kd ..." is a command and
// what follows is what it really prints; a line "..." stands for any lines. The blocks marked `sh`
// of a page are one script. A block marked `cpp` with KONFIG_EXPORT in it is a config file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/lines.h"
#include "cli/program.h"
#include "cli/spawn_test.h"
#include "test_paths.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

struct Step {
  int line;
  std::string command;
  std::vector<std::string> output;
};

std::vector<Step> steps_of(const std::string& text) {
  std::vector<Step> out;
  bool inside = false;
  int number = 0;
  for (const std::string& line : base::lines_of(text)) {
    ++number;
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && line.starts_with("$ ")) {
      out.push_back({number, line.substr(2), {}});
    } else if (inside && !out.empty() && out.back().command.ends_with('\\')) {
      out.back().command.pop_back();
      out.back().command += line;
    } else if (inside && !out.empty()) {
      out.back().output.push_back(line);
    }
  }
  return out;
}

using Lines = std::vector<std::string>;

bool matches(Lines::const_iterator want, Lines::const_iterator want_end, Lines::const_iterator got,
             Lines::const_iterator got_end) {
  if (want == want_end) return got == got_end;
  if (*want != "...") {
    return got != got_end && *want == *got && matches(want + 1, want_end, got + 1, got_end);
  }
  for (;; ++got) {
    if (matches(want + 1, want_end, got, got_end)) return true;
    if (got == got_end) return false;
  }
}

// The blocks of a page that are marked so, as texts.
std::vector<std::string> blocks_of(const std::string& page, const std::string& mark) {
  std::vector<std::string> out;
  bool inside = false;
  for (const std::string& line : base::lines_of(page)) {
    if (line.starts_with("```")) {
      inside = line == "```" + mark;
      if (inside) out.emplace_back();
    } else if (inside) {
      out.back() += line + "\n";
    }
  }
  return out;
}

// Those with a block that is marked so and has the word in it.
std::vector<std::string> pages(const std::string& mark, const std::string& word = "") {
  std::vector<std::string> out;
  auto add = [&](const fs::path& file) {
    for (auto& block : blocks_of(read_text(file), mark)) {
      if (block.find(word) == block.npos) continue;
      out.push_back(file.stem().string());
      return;
    }
  };
  add(KD_SOURCE_DIR "/README.md");
  for (auto& entry : fs::directory_iterator(KD_SOURCE_DIR "/docs")) {
    if (entry.path().extension() == ".md") add(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// A page, and a folder of its own in which its commands run.
class Page : public ::testing::TestWithParam<std::string> {
 protected:
  Page() { fs::create_directories(folder_ / ".config/fish/completions"); }

  Outcome sh(const std::string& script) {
    return spawn("/bin/sh", {"-c", "exec 2>&1; " + script}, options_);
  }

  const std::string name_ = (GetParam() == "README" ? "" : "docs/") + GetParam() + ".md";
  const std::string page_ = read_text(KD_SOURCE_DIR "/" + name_);
  TempFolder folder_;
  const SpawnOptions options_ = {
      .env = {{"PATH", std::string(KD_BINARY_DIR ":") + std::getenv("PATH")},
              {"HOME", folder_.path()},
              {"XDG_CACHE_HOME", KD_BINARY_DIR "/cli_test_cache"}},
      .folder = folder_.path()};
};

class Console : public Page {};
class Shell : public Page {};
class ConfigFile : public Page {};
class Python : public Page {};

TEST_P(Console, PrintsThis) {
  for (const Step& step : steps_of(page_)) {
    if (!step.command.starts_with("kd ") && !step.command.starts_with("build/kd ")) continue;
    std::string command = step.command;
    if (command.starts_with("build/")) command = command.substr(6);
    const Outcome run = sh(command);
    const Lines got = base::lines_of(run.out);
    EXPECT_TRUE(matches(step.output.begin(), step.output.end(), got.begin(), got.end()))
        << name_ << ":" << step.line << ": $ " << step.command << "\nprints\n"
        << run.out;
  }
}

// Runs are short; tests/install builds a project and trains it.
constexpr char kShort[] = R"(set -e
short_run="--timekeeping.nb_epochs=1 --timekeeping.nb_samples_per_epoch=256 --val_dataset.nb_samples=100"
kd() {
  case "$*" in
    *config.cc* | *runs/config-*) return ;;
  esac
  case "$1 $2" in
    "train "* | "launch --cfg="*) command kd "$@" --cfg.num_train_steps=2 ;;
    "run "* | "launch --xp=kd_run"*) command kd "$@" $short_run ;;
    "data bench") command kd "$@" --seconds=0.1 ;;
    "ckpt diff") command kd "$@" || [ $? = 1 ] ;;
    *) command kd "$@" ;;
  esac
}
cmake() { :; }
ctest() { :; }
)";

TEST_P(Shell, Works) {
  std::string script;
  for (auto& block : blocks_of(page_, "sh")) {
    for (std::string line : base::lines_of(block)) {
      if (line.starts_with("./test") || line.starts_with("scripts/")) continue;
      if (line.starts_with("./run")) line = "kd train --cfg=mnist_autoencoder";
      if (line.starts_with("build/kd")) line = line.substr(6);
      // One path for all tests: what was compiled once is not compiled again.
      if (const auto at = line.find("=examples/"); at != line.npos) {
        line.insert(at + 1, KD_SOURCE_DIR "/");
      }
      script += line + "\n";
    }
  }
  const Outcome run = sh(kShort + ("set -x\n" + script));
  EXPECT_EQ(run.code, kFine) << name_ << ":\n" << run.out;
}

TEST_P(ConfigFile, Works) {
  for (auto& block : blocks_of(page_, "cpp")) {
    if (block.find("KONFIG_EXPORT") == block.npos) continue;
    write_text(folder_ / "my_config.cc", block);
    // An experiment is a config, too; its program is a script of the page.
    const bool launches = block.find("kxm/kxm.h") != block.npos;
    const Outcome run = launches ? sh("touch train.sh && chmod +x train.sh && "
                                      "kd launch --xp=my_config.cc --dry_run")
                                 : sh("kd config resolve --cfg=my_config.cc --path=model");
    EXPECT_EQ(run.code, kFine) << name_ << ":\n" << run.out;
  }
}

// Those whose packages are there.
TEST_P(Python, Works) {
  const auto blocks = blocks_of(page_, "py");
  const Outcome run =
      sh("kd train --cfg=mnist_autoencoder --cfg.workdir=runs/a --cfg.num_train_steps=500 "
         "--cfg.train_ds.batch_size=4 --cfg.evals.eval.num_batches=1");
  ASSERT_EQ(run.code, kFine) << run.out;
  for (auto& block : blocks) {
    write_text(folder_ / "block.py", block);
    const Outcome python = sh("python3 block.py");
    if (python.out.find("ModuleNotFoundError") != python.out.npos) continue;
    EXPECT_EQ(python.code, kFine) << name_ << ":\n" << python.out;
  }
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

INSTANTIATE_TEST_SUITE_P(Docs, Console, ::testing::ValuesIn(pages("console")), name_of);
INSTANTIATE_TEST_SUITE_P(Docs, Shell, ::testing::ValuesIn(pages("sh")), name_of);
INSTANTIATE_TEST_SUITE_P(Docs, ConfigFile, ::testing::ValuesIn(pages("cpp", "KONFIG_EXPORT")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Docs, Python, ::testing::ValuesIn(pages("py")), name_of);

}  // namespace
}  // namespace cli
