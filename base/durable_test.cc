#include "base/durable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>

#include "base/files_test.h"
#include "base/temp_folder.h"

namespace base {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

int mode_of(const fs::path& file) { return static_cast<int>(fs::status(file).permissions()); }

TEST(ReplaceFile, NewAndReplaced) {
  const TempFolder folder;
  replace_file(folder / "a", "one");
  EXPECT_EQ(read_file(folder / "a"), "one");
  replace_file(folder / "a", "two");
  EXPECT_EQ(read_file(folder / "a"), "two");
  replace_file(folder / "a", "");
  EXPECT_EQ(read_file(folder / "a"), "");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("a"));
}

TEST(ReplaceFile, AReaderKeepsTheOldContent) {
  const TempFolder folder;
  replace_file(folder / "a", "old");
  const File reader(folder / "a", O_RDONLY);
  replace_file(folder / "a", "new");
  EXPECT_EQ(reader.read(), "old");
}

TEST(ReplaceFile, KeepsTheModeIfAsked) {
  const TempFolder folder;
  const mode_t mask = ::umask(027);
  replace_file(folder / "a", "one");
  EXPECT_EQ(mode_of(folder / "a"), 0640);
  ::chmod((folder / "a").c_str(), 0666);
  replace_file(folder / "a", "two", Keep::link_and_permissions);
  ::umask(mask);
  EXPECT_EQ(mode_of(folder / "a"), 0666);
}

TEST(ReplaceFile, TakesThePlaceOfLinks) {
  const TempFolder folder;
  replace_file(folder / "a", "one");
  fs::permissions(folder / "a", fs::perms::owner_read);
  fs::create_symlink("a", folder / "link");
  replace_file(folder / "link", "two");
  EXPECT_FALSE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "a"), "one");
  EXPECT_NE(fs::status(folder / "link").permissions() & fs::perms::owner_write, fs::perms::none);
}

TEST(ReplaceFile, FollowsLinksIfAsked) {
  const TempFolder folder;
  fs::create_directory(folder / "there");
  replace_file(folder / "there/a", "one");
  fs::create_symlink("there/a", folder / "link");
  replace_file(folder / "link", "two", Keep::link_and_permissions);
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "there/a"), "two");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("link", "there"));
}

TEST(ReplaceFile, ARelativeName) {
  const TempFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  replace_file("plain", "x");
  fs::current_path(before);
  EXPECT_THAT(names_in(folder.path()), ElementsAre("plain"));
}

TEST(ReplaceFile, WhatIsNoFileIsWrittenTo) {
  replace_file("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(error_of([] { replace_file("/dev/full", "x"); }),
            "/dev/full: cannot be written: No space left on device");
}

TEST(ReplaceFile, Errors) {
  const TempFolder folder;
  const std::string path = folder / "none/a";
  EXPECT_EQ(error_of([&] { replace_file(path, "x"); }),
            path + ": cannot be written: No such file or directory");
  EXPECT_EQ(error_of([&] { replace_file(folder.path(), "x"); }),
            folder.path().string() + ": cannot be written: Is a directory");
  EXPECT_THAT(names_in(folder.path()), IsEmpty());
}

TEST(Replacement, PartsThatAreCommitted) {
  const TempFolder folder;
  Replacement out(folder / "a");
  out.write("one ");
  out.write("two");
  EXPECT_FALSE(fs::exists(folder / "a"));
  out.commit();
  EXPECT_EQ(read_file(folder / "a"), "one two");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("a"));
}

TEST(Replacement, NothingIsLeftWithoutACommit) {
  const TempFolder folder;
  replace_file(folder / "a", "old");
  Replacement(folder / "a").write("new");
  EXPECT_EQ(read_file(folder / "a"), "old");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("a"));
}

TEST(Replacement, NothingIsLeftWhenTheRenameFails) {
  const TempFolder folder;
  {
    Replacement out(folder / "a");
    out.write("text");
    fs::create_directory(folder / "a");
    EXPECT_EQ(error_of([&] { out.commit(); }),
              (folder / "a").string() + ": cannot be replaced: Is a directory");
  }
  EXPECT_TRUE(fs::is_directory(folder / "a"));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("a"));
}

TEST(Durable, WritesRenamesAndSyncs) {
  const TempFolder folder;
  write_synced(folder / "a", "long text");
  write_synced(folder / "a", "text");
  rename_synced(folder / "a", folder / "b");
  EXPECT_EQ(read_file(folder / "b"), "text");
  sync(folder / "b");
  sync(folder.path());
  EXPECT_EQ(error_of([&] { rename_synced(folder / "none", folder / "b"); }),
            (folder / "b").string() + ": cannot be replaced: No such file or directory");
  EXPECT_THAT(error_of([&] { sync(folder / "none"); }),
              HasSubstr("none: cannot be synced to disk"));
}

TEST(ReplaceFiles, AllAreWholeAndNothingIsLeftAside) {
  const TempFolder folder;
  replace_file(folder / "b", "old");
  const std::vector<FileText> files = {
      {folder / "a", "1"}, {folder / "b", ""}, {folder / "c", "3"}};
  replace_files(files);
  EXPECT_EQ(read_file(folder / "a"), "1");
  EXPECT_EQ(read_file(folder / "b"), "");
  EXPECT_EQ(read_file(folder / "c"), "3");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("a", "b", "c"));
  // One that cannot be written leaves the others as they were.
  const std::vector<FileText> wrong = {{folder / "a", "2"}, {folder / "none/b", "2"}};
  EXPECT_THROW(replace_files(wrong), FileError);
  EXPECT_EQ(read_file(folder / "a"), "1");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("a", "b", "c"));
  replace_files({});
}

}  // namespace
}  // namespace base
