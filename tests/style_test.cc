// What the configuration of the style tools must know about the tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "test_paths.h"
#include "tools/layers.h"

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

bool has_cpp(const fs::path& folder) {
  return std::ranges::any_of(fs::recursive_directory_iterator(folder), [](auto& entry) {
    return entry.path().extension() == ".h" || entry.path().extension() == ".cc";
  });
}

std::set<std::string> folders_with_cpp() {
  std::set<std::string> out;
  for (auto& entry : fs::directory_iterator(KD_SOURCE_DIR)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || name.starts_with(".") || name.starts_with("build")) continue;
    if (layers::is_own_project(entry.path().string())) continue;
    if (name != "cmake" && has_cpp(entry.path())) out.insert(name);
  }
  return out;
}

TEST(Style, TidyLooksAtTheHeadersOfEveryFolder) {
  const std::string text = read(fs::path(KD_SOURCE_DIR) / ".clang-tidy");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(text, found, std::regex(R"re(HeaderFilterRegex: "/\((.*)\)/")re")));
  std::set<std::string> named;
  std::istringstream names(found[1].str());
  for (std::string name; std::getline(names, name, '|');) named.insert(name);
  EXPECT_EQ(named, folders_with_cpp()) << "HeaderFilterRegex of .clang-tidy names other folders";
}

// A helper of tests is a header x_test.h, or is in a source that has tests, too.
TEST(Style, EveryTestAsserts) {
  int files = 0;
  for (const std::string& folder : folders_with_cpp()) {
    for (auto& entry : fs::recursive_directory_iterator(fs::path(KD_SOURCE_DIR) / folder)) {
      if (!entry.path().string().ends_with("_test.cc")) continue;
      const std::string text = read(entry.path());
      EXPECT_TRUE(text.find("EXPECT_") != text.npos || text.find("ASSERT_") != text.npos)
          << entry.path() << " asserts nothing";
      ++files;
    }
  }
  EXPECT_GT(files, 0);
}

}  // namespace
