// Folders that come and go as a whole.
#include "base/whole_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "base/durable.h"
#include "base/file.h"
#include "base/files_test.h"
#include "base/temp_folder.h"

namespace base {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::function<void(const fs::path&)> file(const std::string& text) {
  return [text](const fs::path& aside) { write_synced(aside / "a", text); };
}

TEST(WriteFolder, HasItsNameWhenItIsComplete) {
  const TempFolder root;
  write_folder(root / "new", [&](const fs::path& aside) {
    EXPECT_FALSE(fs::exists(root / "new"));
    EXPECT_EQ(leftover_of(aside), "new");
    write_synced(aside / "a", "text");
  });
  EXPECT_EQ(read_file(root / "new/a"), "text");
  EXPECT_THAT(names_in(root.path()), ElementsAre("new"));
}

TEST(WriteFolder, ATrailingSlash) {
  const TempFolder root;
  write_folder(root / "new/", file("one"));
  write_folder(root / "new/", file("two"), {.existing = Existing::replace});
  EXPECT_EQ(read_file(root / "new/a"), "two");
  remove_folder(root / "new/");
  EXPECT_THAT(names_in(root.path()), IsEmpty());
}

TEST(WriteFolder, RefusesToReplace) {
  const TempFolder root;
  write_folder(root / "a", file("old"));
  EXPECT_EQ(error_of([&] { write_folder(root / "a", file("new")); }),
            (root / "a").string() + ": cannot be replaced: Directory not empty");
  EXPECT_EQ(read_file(root / "a/a"), "old");
  EXPECT_THAT(names_in(root.path()), ElementsAre("a"));
}

TEST(WriteFolder, ReplacesIfAsked) {
  const TempFolder root;
  fs::create_directories(root / "a/below");
  fs::create_directory((root / "a").string() + ".writing-" + std::to_string(::getpid()));
  write_folder(root / "a", file("new"), {.existing = Existing::replace});
  EXPECT_THAT(names_in(root / "a"), ElementsAre("a"));
  EXPECT_THAT(names_in(root.path()), ElementsAre("a"));
}

TEST(RenameFirst, TheFirstOneStays) {
  const TempFolder root;
  fs::create_directory(root / "one");
  write_synced(root / "one/a", "one");
  fs::create_directory(root / "two");
  write_synced(root / "two/a", "two");
  EXPECT_TRUE(rename_first(root / "one", root / "new"));
  EXPECT_FALSE(rename_first(root / "two", root / "new"));
  EXPECT_EQ(read_file(root / "new/a"), "one");
  EXPECT_THAT(names_in(root.path()), testing::UnorderedElementsAre("new", "two"));
  EXPECT_EQ(error_of([&] { rename_first(root / "none", root / "new"); }),
            (root / "new").string() + ": cannot be replaced: No such file or directory");
}

TEST(WriteFolder, NothingIsLeftOfAFailure) {
  const TempFolder root;
  write_folder(root / "a", file("old"));
  for (const Existing existing : {Existing::refuse, Existing::replace}) {
    auto fill = [](const fs::path& aside) {
      write_synced(aside / "a", "new");
      throw std::runtime_error("no more");
    };
    EXPECT_THROW(write_folder(root / "a", fill, {.existing = existing}), std::runtime_error);
    EXPECT_EQ(read_file(root / "a/a"), "old");
    EXPECT_THAT(names_in(root.path()), ElementsAre("a"));
  }
}

TEST(WriteFolder, TheOldOneStaysWhenTheNewOneIsGone) {
  const TempFolder root;
  write_folder(root / "a", file("old"));
  auto fill = [&](const fs::path& aside) { fs::rename(aside, root / "b"); };
  EXPECT_THAT(error_of([&] { write_folder(root / "a", fill, {.existing = Existing::replace}); }),
              HasSubstr("cannot be synced to disk: No such file or directory"));
  EXPECT_EQ(read_file(root / "a/a"), "old");
}

TEST(WriteFolder, ItsLeftoversAreKnown) {
  EXPECT_EQ(leftover_of("runs/a/model.writing-123"), "model");
  EXPECT_EQ(leftover_of("model.b.removing-123"), "model.b");
  EXPECT_EQ(leftover_of("model"), "");
  EXPECT_EQ(leftover_of("model.writing-"), "");
  EXPECT_EQ(leftover_of("model.writing-later"), "");
}

TEST(WriteFolder, ASecondAttemptSucceeds) {
  const TempFolder root;
  const std::string aside = root / ("a.writing-" + std::to_string(::getpid()));
  write_synced(aside, "in the way");
  EXPECT_EQ(error_of([&] { write_folder(root / "a", file("")); }),
            aside + ": cannot be made: File exists");
  write_folder(root / "a", file("new"));
  EXPECT_THAT(names_in(root.path()), ElementsAre("a"));
}

TEST(WriteFolder, Errors) {
  const TempFolder root;
  EXPECT_THAT(error_of([&] { write_folder(root / "none/a", file("")); }),
              HasSubstr(": cannot be made: No such file or directory"));
}

TEST(WriteFolder, PermissionsAsAsked) {
  const TempFolder root;
  write_folder(root / "a", file(""), {.mode = 0700});
  EXPECT_EQ(fs::status(root / "a").permissions(), fs::perms::owner_all);
}

TEST(RemoveFolder, WithAllItHolds) {
  const TempFolder root;
  fs::create_directories(root / "a/below");
  remove_folder(root / "a");
  remove_folder(root / "a");
  EXPECT_THAT(names_in(root.path()), IsEmpty());
}

}  // namespace
}  // namespace base
