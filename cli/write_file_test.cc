#include "cli/write_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "cli/errors.h"
#include "cli/spawn_test.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

TEST(WriteFile, NewAndReplaced) {
  TempFolder folder;
  write_file(folder / "a", "one");
  EXPECT_EQ(read_text(folder / "a"), "one");
  write_file(folder / "a", "two");
  EXPECT_EQ(read_text(folder / "a"), "two");
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

TEST(WriteFile, KeepsTheMode) {
  TempFolder folder;
  write_file(folder / "a", "one");
  ::chmod((folder / "a").c_str(), 0640);
  write_file(folder / "a", "two");
  EXPECT_EQ(static_cast<int>(fs::status(folder / "a").permissions()), 0640);
}

TEST(WriteFile, FollowsLinks) {
  TempFolder folder;
  write_file(folder / "a", "one");
  fs::create_symlink("a", folder / "link");
  write_file(folder / "link", "two");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_text(folder / "a"), "two");
}

TEST(WriteFile, ARelativeName) {
  TempFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file("plain", "x");
  fs::current_path(before);
  EXPECT_THAT(folder.names(), ElementsAre("plain"));
}

TEST(WriteFile, Failures) {
  TempFolder folder;
  EXPECT_THROW(write_file(folder / "none/a", "x"), Failure);
  EXPECT_THROW(write_file(folder.path(), "x"), Failure);
  EXPECT_THROW(write_file("/dev/full", "x"), Failure);
  write_file("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace cli
