// What tests of checkpoints share: a folder, and states to save there.
#pragma once

#include <ATen/ops/full.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temp_folder.h"
#include "kd/ckpts/engine/manager.h"
#include "kd/core/durable.h"
#include "konfig/expect_test.h"

namespace kd::ckpts {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::error_of;
using konfig::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Steps = std::vector<std::int64_t>;

// A folder of its own for each test, removed at its end.
class Checkpoints : public ::testing::Test {
 protected:
  fs::path step(std::int64_t i) const { return step_folder(workdir_ / "checkpoints", i); }
  // Saves at all steps of 0..last where it should.
  Steps run(Checkpointer options, int last, const std::vector<double>& accuracy = {}) {
    Manager manager(options, workdir_);
    for (int i = 0; i <= last; ++i) {
      Value metrics;
      if (!accuracy.empty()) {
        metrics = Dict{{"eval", Dict{{"accuracy", accuracy.at(static_cast<std::size_t>(i))}}}};
      }
      if (manager.should_save(i)) manager.save(i, {.state = state(i)}, metrics);
    }
    manager.wait_until_finished();
    EXPECT_EQ(manager.all_steps(), Manager(options, workdir_, true).all_steps());
    return manager.all_steps();
  }
  static Tree state(int i) {
    const Tree kernel = at::full({3, 4}, i, at::kFloat);
    return Tree::dict(
        {{"step", Tree(at::full({}, i, at::kInt))},
         {"params", Tree::dict({{"dense", Tree::dict({{"kernel", kernel}})}})},
         {"collections", Tree::dict()},
         {"opt_state",
          Tree::list({Tree::record("ScaleByAdamState",
                                   {{"nu", kernel}, {"count", Tree(at::full({}, i, at::kInt))}}),
                      Tree(), Tree(Tree::Texts{"a", "b"})})}});
  }
  void save(int i, const Tree& tree) {
    Manager manager(Checkpointer{.save_interval_steps = 1, .max_to_keep = {}}, workdir_);
    manager.save(i, {.state = tree});
    manager.wait_until_finished();
  }
  static void flip_byte(const fs::path& file, std::size_t at) {
    std::string bytes = read_file(file);
    bytes.at(at) = static_cast<char>(bytes.at(at) ^ 0x10);
    std::ofstream(file, std::ios::binary) << bytes;
  }

  base::TempFolder temp_{"kd_ckpt_"};
  fs::path workdir_ = temp_.path();
};

inline double number(const Tree& tree) { return tree.tensor().reshape(-1)[0].item<double>(); }

}  // namespace kd::ckpts
