#include "base/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace base {
namespace {

namespace fs = std::filesystem;

TEST(TempFolder, IsNewPrivateAndGoesWithAllItHolds) {
  fs::path path;
  {
    const TempFolder folder, other;
    path = folder.path();
    EXPECT_NE(path, other.path());
    EXPECT_EQ(path.parent_path(), fs::temp_directory_path());
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    fs::create_directories(folder / "a/b");
    std::ofstream(folder / "a/b/file") << "text";
    EXPECT_TRUE(fs::exists(path / "a/b/file"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TempFolder, HasAPrefixAndAParent) {
  const TempFolder parent;
  const TempFolder folder("inner-", parent.path());
  EXPECT_EQ(folder.path().parent_path(), parent.path());
  EXPECT_TRUE(folder.path().filename().string().starts_with("inner-"));
  EXPECT_THROW(TempFolder("x", parent / "none"), fs::filesystem_error);
}

}  // namespace
}  // namespace base
