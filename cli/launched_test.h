// A state of one test alone, with experiments that were really launched.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/spawn_test.h"
#include "konfig/json.h"
#include "kxm/launch.h"
#include "kxm/local.h"
#include "kxm/state.h"

namespace cli {

class Launched : public testing::Test {
 protected:
  // A job that runs a script of the shell, in the folder of the test.
  static kxm::PlannedJob job(const std::string& name, const std::string& script) {
    return {.name = name, .argv = {"/bin/sh", "-c", script}};
  }
  // One unit, with what was swept.
  using Unit = std::pair<konfig::Dict, std::vector<kxm::PlannedJob>>;

  // Recorded, and not started yet.
  int record(const std::string& title, const std::vector<Unit>& units) {
    kxm::State state(state_folder_);
    kxm::Plan plan{.xid = state.reserve(), .title = title, .author = "me", .note = ""};
    plan.cwd = folder_.path();
    plan.dir = folder_ / (title + "_" + std::to_string(plan.xid));
    for (auto& [args, jobs] : units) {
      const int wid = static_cast<int>(plan.units.size()) + 1;
      plan.units.push_back({.wid = wid,
                            .identity = "unit_" + std::to_string(wid),
                            .args = args,
                            .dir = plan.dir + "/" + std::to_string(wid),
                            .jobs = jobs});
    }
    state.record(plan);
    return plan.xid;
  }
  // Run until all of it has ended.
  int launch(const std::string& title, const std::vector<Unit>& units) {
    const int xid = record(title, units);
    run(xid);
    return xid;
  }
  kxm::RunResult run(int xid, const kxm::RunOptions& options = {}) {
    kxm::State state(state_folder_);
    return kxm::run(state, xid, local_, options);
  }
  // Started, and left alone: as with --detach.
  void start(int xid) {
    kxm::Stopper stopper;
    run(xid, {.on_event =
                  [&](const kxm::Event& event) {
                    if (event.kind == kxm::Event::Kind::started) stopper.leave();
                  },
              .stopper = &stopper});
  }

  Outcome kd(const std::vector<std::string>& args, const std::string& folder = "") const {
    return cli::kd(args, {.env = {{"KD_STATE", state_folder_}}, .folder = folder});
  }
  // What a command prints with --format=json.
  konfig::Value json(std::vector<std::string> args) const {
    args.emplace_back("--format=json");
    const Outcome out = kd(args);
    EXPECT_EQ(out.code, 0) << out.err;
    return konfig::parse_json(out.out);
  }

  TempFolder folder_;
  const std::string state_folder_ = folder_ / "state";
  const kxm::Local local_ = {.machine = folder_ / "machine"};
};

}  // namespace cli
