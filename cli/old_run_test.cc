// The folder of a run that an earlier version of the program wrote: it resumes, with the same
// numbers. tests/runs/README.md tells how it was made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "cli/program.h"
#include "cli/spawn_test.h"
#include "konfig/json.h"
#include "test_paths.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kRun = KD_SOURCE_DIR "/tests/runs/autoencoder";
const std::string kResumed = KD_SOURCE_DIR "/tests/runs/autoencoder_resumed";

std::vector<std::vector<std::string>> table(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(values_of(csv));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    for (rows.emplace_back(); std::getline(cells, line, ',');) rows.back().push_back(line);
  }
  return rows;
}

// Equal texts or, where `exact` is false, numbers that differ by rounding.
void expect_same_table(const std::string& csv, const std::string& expected_csv, bool exact) {
  const auto rows = table(csv), expected = table(expected_csv);
  ASSERT_EQ(rows.size(), expected.size()) << csv;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), expected[i].size()) << csv;
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      if (exact || i == 0 || j == 0) {
        EXPECT_EQ(rows[i][j], expected[i][j]) << csv;
      } else {
        const double value = std::stod(expected[i][j]);
        EXPECT_NEAR(std::stod(rows[i][j]), value, 1e-5 * std::abs(value)) << csv;
      }
    }
  }
}

konfig::Value json_of(const std::string& file) { return konfig::parse_json(read_text(file)); }

konfig::Value checksum_of_state(const std::string& run) {
  const konfig::Value manifest = json_of(run + "/checkpoints/ckpt_12/manifest.json");
  return manifest.as<konfig::Dict>()
      .at("files")
      .as<konfig::Dict>()
      .at("state.safetensors")
      .as<konfig::Dict>()
      .at("xxh3_128");
}

TEST(OldRun, Resumes) {
  TempFolder folder;
  fs::create_directory(folder / "runs");
  fs::copy(kRun, folder / "runs/old", fs::copy_options::recursive);
  const Outcome more = kd({"resume", "runs/old", "--cfg.num_train_steps=12", "--threads=2"},
                          {.folder = folder.path()});
  ASSERT_EQ(more.code, kFine) << more.err;
  EXPECT_THAT(more.err, AllOf(HasSubstr("at step 6"), HasSubstr("done: 13 steps, in runs/old")));

  const std::string run = folder / "runs/old";
  EXPECT_THAT(fs::directory_iterator(run + "/checkpoints")->path().filename().string(), "ckpt_12");
  // Bit for bit on the kind of machine that wrote the run.
  const bool same_machine = json_of(run + "/checkpoints/ckpt_12/machine.json") ==
                            json_of(kResumed + "/checkpoints/ckpt_12/machine.json");
  for (const std::string collection : {"train", "eval"}) {
    const std::string csv = "/" + collection + "/metrics.csv";
    expect_same_table(read_text(run + csv), read_text(kResumed + csv), same_machine);
    // What the earlier version wrote for the steps before is as it was.
    const std::string jsonl = "/" + collection + "/metrics.jsonl", old = read_text(kRun + jsonl);
    const std::string first = old.substr(0, old.find('\n') + 1);
    EXPECT_TRUE(read_text(run + jsonl).starts_with(first)) << collection;
  }
  if (same_machine) EXPECT_EQ(checksum_of_state(run), checksum_of_state(kResumed));
}

}  // namespace
}  // namespace cli
