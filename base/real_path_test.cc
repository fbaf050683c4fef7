#include "base/real_path.h"

#include <gtest/gtest.h>

#include "base/temp_folder.h"

namespace base {
namespace {

namespace fs = std::filesystem;

TEST(RealPath, Header) {
  const TempFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  fs::create_directory("data");
  fs::create_directory_symlink("data", "link");
  EXPECT_TRUE(real_path("link/run") == real_path("data/run"));
  fs::current_path(before);
}

TEST(RealPath, WhatIsMissingOrCannotBeAsked) {
  const TempFolder folder;
  const fs::path here = fs::canonical(folder.path());
  EXPECT_EQ(real_path(here / "a/../b"), here / "b");
  fs::create_symlink("loop", here / "loop");
  EXPECT_EQ(real_path(here / "x/../loop/a"), here / "loop/a");
}

}  // namespace
}  // namespace base
