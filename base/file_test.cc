#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include "base/temp_folder.h"

namespace base {
namespace {

using ::testing::Optional;

FileError error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const FileError& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return FileError("", "", 0);
}

TEST(File, ReadsTheWholeContent) {
  const TempFolder folder;
  const std::string large(100'000, 'x');
  const std::string bytes("a\0b\n", 4);
  for (const std::string& text : {std::string(), bytes, large}) {
    std::ofstream(folder / "a", std::ios::binary) << text;
    EXPECT_EQ(read_file(folder / "a"), text);
    EXPECT_THAT(try_read_file(folder / "a"), Optional(text));
  }
}

TEST(File, WritesAppendsAndReadsInParts) {
  const TempFolder folder;
  const auto path = folder / "a";
  File(path, O_WRONLY | O_CREAT).write("0123");
  {
    const File out(path, O_WRONLY | O_APPEND);
    out.write("456");
    out.write("");
    out.write("789");
    out.sync();
  }
  EXPECT_EQ(read_file(path), "0123456789");
  const File in(path, O_RDONLY);
  char buffer[8];
  EXPECT_EQ(in.read_at(2, buffer, 8), 8u);
  EXPECT_EQ(std::string_view(buffer, 8), "23456789");
  EXPECT_EQ(in.read_at(7, buffer, 8), 3u);
  EXPECT_EQ(std::string_view(buffer, 3), "789");
  EXPECT_EQ(in.read_at(10, buffer, 8), 0u);
  EXPECT_EQ(in.read(), "0123456789");
}

TEST(File, ErrorsNameTheFileAndTheReason) {
  const TempFolder folder;
  const std::string path = folder / "none/a";
  auto error = error_of([&] { read_file(path); });
  EXPECT_EQ(error.path(), path);
  EXPECT_EQ(error.problem(), "cannot be read");
  EXPECT_EQ(error.code().value(), ENOENT);
  EXPECT_EQ(error.what(), path + ": cannot be read: No such file or directory");
  EXPECT_EQ(error_of([&] { File(path, O_WRONLY | O_CREAT); }).what(),
            path + ": cannot be written: No such file or directory");
  EXPECT_EQ(error_of([&] { read_file(folder.path()); }).code().value(), EISDIR);
  EXPECT_STREQ(error_of([] { File("/dev/full", O_WRONLY).write("x"); }).what(),
               "/dev/full: cannot be written: No space left on device");
}

TEST(File, NothingInsteadOfAnError) {
  const TempFolder folder;
  EXPECT_EQ(try_read_file(folder / "none"), std::nullopt);
  EXPECT_EQ(try_read_file(folder.path()), std::nullopt);
}

}  // namespace
}  // namespace base
