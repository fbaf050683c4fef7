#include "kxm/build_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temp_folder.h"
#include "konfig/error.h"
#include "konfig/expect_test.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using konfig::error_of;
using ::testing::HasSubstr;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

class BuildTargets : public testing::Test {
 protected:
  BuildTargets() {
    write(root() / "CMakeLists.txt",
          "cmake_minimum_required(VERSION 3.25)\nproject(small LANGUAGES C)\n"
          "add_executable(trainer main.c)\nadd_subdirectory(eval)\n");
    write(root() / "main.c", "int main(void) { return 3; }\n");
    write(root() / "eval/CMakeLists.txt", "add_executable(scorer scorer.c)\n");
    write(root() / "eval/scorer.c", "int main(void) { return 4; }\n");
  }
  const fs::path& root() const { return folder_.path(); }

 private:
  base::TempFolder folder_{"kxm_build_targets."};
};

TEST_F(BuildTargets, AllInOneGo) {
  const Project project = find_project(root() / "eval");
  EXPECT_EQ(project.root, root());
  const fs::path before = fs::current_path();
  fs::current_path(root() / "eval");
  auto programs = build_targets({"//:trainer", "//eval:scorer"}, find_project());
  fs::current_path(before);
  ASSERT_EQ(programs.size(), 2u);
  EXPECT_EQ(std::system(programs.at("//:trainer").c_str()) >> 8, 3);
  EXPECT_EQ(std::system(programs.at("//eval:scorer").c_str()) >> 8, 4);
  EXPECT_EQ(build_targets({"//:trainer", "//:trainer"}, project).size(), 1u);
}

TEST_F(BuildTargets, WhatIsWrongIsNamed) {
  const Project project = find_project(root());
  EXPECT_THAT(error_of([&] { build_targets({"//eval:scorre"}, project); }),
              HasSubstr("did you mean '//eval:scorer'"));
  EXPECT_THAT(error_of([&] { build_targets({"//eval"}, project); }), HasSubstr("write //dir:name"));
  write(root() / "main.c", "int main(void) { return x; }\n");
  EXPECT_THAT(error_of([&] { build_targets({"//:trainer"}, project); }), HasSubstr("failed"));
  EXPECT_THAT(error_of([] { find_project("/"); }), HasSubstr("CMakeLists.txt"));
}

TEST(TargetLabels, AreToldFromPaths) {
  EXPECT_TRUE(is_target_label("//a:b"));
  EXPECT_FALSE(is_target_label("/usr/bin/true"));
  EXPECT_FALSE(is_target_label("train.py"));
}

}  // namespace
}  // namespace kxm
