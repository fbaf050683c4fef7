// What tests of the running half share: a state of their own, and plans of small shell jobs.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/temp_folder.h"
#include "kxm/launch.h"
#include "kxm/local.h"
#include "kxm/state.h"

namespace kxm {

inline PlannedJob shell(const std::string& script, const std::string& name = "main") {
  return {.name = name, .argv = {"/bin/sh", "-c", script}};
}

class RunTest : public testing::Test {
 protected:
  // An experiment of these units, each of these jobs.
  Plan plan(int xid, std::vector<std::vector<PlannedJob>> units, int first = 1) const {
    Plan out;
    out.xid = xid;
    out.title = "test";
    out.dir = (folder / "runs" / std::to_string(xid)).string();
    out.cwd = folder.path().string();
    for (auto& jobs : units) {
      const int wid = first + static_cast<int>(out.units.size());
      out.units.push_back({.wid = wid,
                           .identity = "sweep_" + std::to_string(wid - 1),
                           .args = {{"seed", wid}},
                           .dir = out.dir + "/" + std::to_string(wid),
                           .jobs = std::move(jobs)});
    }
    return out;
  }
  int record(std::vector<std::vector<PlannedJob>> units,
             const std::function<void(Plan&)>& change = {}) {
    Plan made = plan(state.reserve(), std::move(units));
    if (change) change(made);
    state.record(made);
    return made.xid;
  }
  RunResult run(int xid, const RunOptions& options = {}) {
    return kxm::run(state, xid, local, options);
  }
  void touch(const std::string& name) const {
    const base::File made(folder / name, O_WRONLY | O_CREAT);
  }
  std::string why(int xid, int wid) const { return state.unit(xid, wid).jobs.front().why(); }
  std::string log(int xid, int wid, std::size_t job = 0) const {
    const UnitRow unit = state.unit(xid, wid);
    return base::read_file(std::filesystem::path(unit.jobs.at(job).attempts.back().folder) /
                           "log.txt");
  }

  base::TempFolder folder;
  std::filesystem::path state_path = folder / "state";
  State state = State(state_path);
  Local local = {.machine = state_path.string()};
};

inline Counts counts(int finished, int failed = 0) {
  Counts out;
  out[JobState::finished] = finished;
  out[JobState::failed] = failed;
  return out;
}

}  // namespace kxm
