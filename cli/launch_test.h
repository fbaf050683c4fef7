// What tests of kd launch share: a folder to launch from, with a state of its own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/spawn_test.h"

namespace cli {

class Launch : public testing::Test {
 protected:
  Launch() { ::setenv("KD_STATE", state_.c_str(), 1); }
  ~Launch() override { ::unsetenv("KD_STATE"); }

  // A program for jobs.
  void write_script(const std::string& name, const std::string& body) const {
    write_text(folder_ / name, "#!/bin/sh\n" + body);
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
  }
  Outcome launch(std::vector<std::string> more) const {
    more.insert(more.begin(), "launch");
    return kd(more, {.folder = folder_.path()});
  }
  // One unit for each of 1, 2, 3 of ./job.sh.
  Outcome sweep(std::vector<std::string> more = {}) const {
    std::vector<std::string> args = {"--xp=single", "--xp.target=./job.sh", "--sweep.x=[1,2,3]"};
    args.insert(args.end(), more.begin(), more.end());
    return launch(args);
  }
  Outcome resume(const std::string& what) const {
    return kd({"resume", what}, {.folder = folder_.path()});
  }
  std::string ran() const { return read_text(folder_ / "ran"); }

  TempFolder folder_;
  std::string state_ = folder_ / "state";
};

}  // namespace cli
