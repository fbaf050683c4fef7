// A run that is killed again and again, and goes on, ends as one that was not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include "cli/program.h"
#include "cli/small_run_test.h"
#include "cli/spawn_test.h"
#include "test_paths.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

// The events of a collection's files, sorted, without their times and without measures of time. A
// record is its length (8 bytes), a checksum (4), the event and another checksum (4); an event
// begins with its time (9 bytes).
std::vector<std::string> events_of(const std::string& collection) {
  std::vector<std::string> out;
  for (auto& entry : fs::directory_iterator(collection)) {
    if (!entry.path().filename().string().starts_with("events.")) continue;
    const std::string bytes = read_text(entry.path());
    for (std::size_t at = 0; at < bytes.size();) {
      std::uint64_t length = 0;
      if (bytes.size() - at >= sizeof length) std::memcpy(&length, &bytes[at], sizeof length);
      if (length < 9 || length > bytes.size() - at - 16) {
        ADD_FAILURE() << entry.path() << ": no whole record at byte " << at;
        break;
      }
      std::string event = bytes.substr(at + 12 + 9, length - 9);
      const bool is_version = event.find("brain.Event") != event.npos;  // one in each file
      if (!is_version && event.find("perf_stats/") == event.npos) out.push_back(std::move(event));
      at += 16 + length;
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Kill, AtAnyMomentAndResumed) {
  TempFolder whole, folder;
  const bool full = std::getenv("KD_TEST_FULL") != nullptr;
  const int last = full ? 2000 : 200;
  const auto args =
      small_run("train", {"--cfg.workdir=run", "--cfg.num_train_steps=" + std::to_string(last),
                          "--cfg.checkpointer.save_interval_steps=10", "--cfg.log_metrics_every=5",
                          "--cfg.log_summaries_every=20", "--cfg.evals.eval.run.n=20"});
  ASSERT_EQ(kd(args, {.folder = whole.path()}).code, kFine);

  // Most kills come when steps are made: between the steps of a log, saves, evaluations. Every
  // fourth comes at a moment of its own, so that it may hit the start.
  const SpawnOptions here{.folder = folder.path()};
  const std::string line = line_of(args);
  std::mt19937 random(7);
  int killed = 0;
  for (const int kills = full ? 200 : 4; killed < kills;) {
    const bool any_moment = killed % 4 == 3;
    const double seconds = std::uniform_real_distribution(0.0, any_moment ? 1.0 : 0.2)(random);
    const std::string steps_are_made =
        any_moment ? "" : "until grep -q collection=train log; do kill -0 $job || break; done\n";
    // The log of the run before must not answer for this one.
    const Outcome run =
        shell("rm -f log; touch log\n" + line + " 2> log & job=$!\n" + steps_are_made + "sleep " +
                  std::to_string(seconds) + "\nkill -9 $job\nwait $job\n",
              folder.path());
    ASSERT_TRUE(run.code == 0 || run.code == 137) << run.code << read_text(folder / "log");
    if (run.code == 137) ++killed;
    if (run.code == 0) fs::remove_all(folder / "run");  // it was done: once more
  }
  const Outcome rest = kd(args, here);
  ASSERT_EQ(rest.code, kFine) << rest.err;

  const std::string end = "run/checkpoints/ckpt_" + std::to_string(last);
  for (const std::string& file : {end + "/state.safetensors", end + "/ds_iter.json"}) {
    EXPECT_EQ(read_text(folder / file), read_text(whole / file)) << file;
  }
  for (const std::string collection : {"run/train", "run/eval"}) {
    const std::string csv = collection + "/metrics.csv";
    EXPECT_EQ(values_of(read_text(folder / csv)), values_of(read_text(whole / csv)));
    EXPECT_THAT(events_of(whole / collection), Contains(HasSubstr("losses/recon")));
    EXPECT_TRUE(events_of(folder / collection) == events_of(whole / collection)) << collection;
  }
  // Nothing half written is left, and each checkpoint is whole.
  for (auto& entry : fs::recursive_directory_iterator(folder / "run")) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
  }
  for (auto& entry : fs::directory_iterator(folder / "run/checkpoints")) {
    const std::string name = entry.path().filename();
    ASSERT_TRUE(name.starts_with("ckpt_")) << name;
    const Outcome shown = kd({"ckpt", "show", "run", "--step=" + name.substr(5)}, here);
    EXPECT_EQ(shown.code, kFine) << shown.err;
  }
}

}  // namespace
}  // namespace cli
