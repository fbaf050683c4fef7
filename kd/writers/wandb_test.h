// What the tests of WandbWriter share: a folder with runs, and what the files there hold.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/temp_folder.h"
#include "kd/io/file.h"
#include "kd/io/wandb_log.h"
#include "kd/writers/engine/writer.h"
#include "kd/writers/wandb.h"
#include "kd/writers/wandb_records_impl.h"
#include "kd/writers/wandb_run_impl.h"

namespace kd::writers {

namespace fs = std::filesystem;

using Curve = std::vector<std::pair<int, std::string>>;  // values by step

// What a file of W&B holds.
struct Read {
  wandb::RunInfo run;
  std::map<std::string, std::string> config;             // name: JSON
  std::vector<std::map<std::string, std::string>> rows;  // "train/h.bins": JSON
  std::size_t records = 0;
  bool is_torn = false;

  // The steps of the rows that have a value, and the values.
  Curve curve(const std::string& name) const {
    Curve out;
    for (auto& row : rows) {
      if (row.contains(name)) out.emplace_back(std::stoi(row.at("step")), row.at(name));
    }
    return out;
  }
};

inline Read read(const fs::path& file) {
  Read out;
  const io::WandbLog log = io::read_wandb_log(io::map_file(file));
  for (const std::string& record : log.records) {
    if (auto run = wandb::read_run(record, file)) {
      out.run = *run;
      out.config = {run->config.begin(), run->config.end()};
    }
    if (auto items = wandb::read_history(record, file)) {
      std::map<std::string, std::string> row;
      for (auto& item : *items) {
        EXPECT_TRUE(
            row.emplace(item.name.size() == 1 ? item.name[0] : item.name[0] + "." + item.name[1],
                        item.json)
                .second);
      }
      EXPECT_EQ(row.at("_step"), std::to_string(out.rows.size()));
      out.rows.push_back(std::move(row));
    }
  }
  out.records = log.records.size();
  out.is_torn = log.is_torn;
  EXPECT_TRUE(log.problem.empty() || log.is_torn) << log.problem;
  return out;
}

class Wandb : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"WANDB_RUN_ID", "WANDB_SWEEP_ID", "WANDB_ENTITY", "WANDB_PROJECT"}) {
      ::unsetenv(name);
    }
  }
  void TearDown() override { SetUp(); }

  static WandbWriter only() {
    return {.project = "digits",
            .entity = "team",
            .name = "baseline",
            .tensorboard = false,
            .csv = false,
            .json_lines = false,
            .console = false};
  }
  std::unique_ptr<Writer> open(std::optional<std::int64_t> resume_at = {},
                               const std::string& collection = "train") const {
    return writers::open(only(), workdir_, collection, resume_at);
  }
  static Record record(std::int64_t step) {
    return {.step = step, .scalars = {{"losses/total", 0.5 * static_cast<double>(step)}}};
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    for (auto& entry : fs::recursive_directory_iterator(workdir_ / "wandb")) {
      if (entry.path().extension() == ".wandb") out.push_back(entry.path());
    }
    return out;
  }
  fs::path file() const {
    const auto all = files();
    EXPECT_EQ(all.size(), 1u);
    return all.at(0);
  }
  Read read() const { return writers::read(file()); }

  base::TempFolder temp_{"kd_wandb_"};
  fs::path workdir_ = temp_.path();
};

}  // namespace kd::writers
