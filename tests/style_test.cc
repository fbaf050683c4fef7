// What the configuration of the style tools must know about the tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

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

// Our files, by their path from the root.
const layers::Tree& tree() {
  static const layers::Tree files = layers::read_tree(KD_SOURCE_DIR);
  return files;
}

bool begins_as_one_of(const std::string& path, const std::vector<std::string>& folders) {
  return std::ranges::any_of(folders, [&](auto& folder) { return path.starts_with(folder); });
}

// A helper of tests is a header x_test.h, or is in a source that has tests, too.
TEST(Style, EveryTestAsserts) {
  int files = 0;
  for (auto& [file, text] : tree()) {
    if (!file.ends_with("_test.cc")) continue;
    EXPECT_TRUE(text.find("EXPECT_") != text.npos || text.find("ASSERT_") != text.npos)
        << file << " asserts nothing";
    EXPECT_FALSE(file.starts_with("cli/verbs/") && text.find("AddVerb<") != text.npos)
        << file << " is called like a test and has a verb: end its name in _verb.cc";
    ++files;
  }
  EXPECT_GT(files, 0);
}

// x.cc and x_test.cc may leave it to x.h.
bool stands_beside_another(const std::string& file) {
  const std::string stem = file.substr(0, file.rfind('.'));
  const std::string name = stem.ends_with("_test") ? stem.substr(0, stem.size() - 5) : stem;
  return tree().contains(stem + ".h") || tree().contains(name + ".h") ||
         tree().contains(name + "_impl.h") || (name != stem && tree().contains(name + ".cc"));
}

TEST(Style, TheFirstLineSaysWhatAFileIsFor) {
  for (auto& [file, text] : tree()) {
    const bool says =
        text.starts_with("// ") || (file.ends_with(".cc") && stands_beside_another(file));
    EXPECT_TRUE(says) << file << " begins without a comment, and has no header of its name";
  }
}

// A test that is to be left out for now is one that nobody looks for again.
TEST(Style, NoTestIsDisabled) {
  static const std::regex disabled(R"(\bTEST\w*\([^)]*\bDISABLED_)");
  for (auto& [file, text] : tree()) {
    EXPECT_FALSE(std::regex_search(text, disabled)) << file << " has a disabled test";
  }
}

// A source that no program compiles, a test above all, would be trusted without being run.
TEST(Style, EverySourceIsCompiled) {
  // Files that a program reads when it runs, and those that tests build elsewhere.
  const std::vector<std::string> elsewhere = {"examples/launch/", "examples/project/",
                                              "examples/tfimm/",  "tests/adding/",
                                              "tests/install/",   "tests/own/"};
  const std::string commands = read(fs::path(KD_BINARY_DIR) / "compile_commands.json");
  ASSERT_NE(commands.find("/tests/style_test.cc\""), commands.npos);
  for (auto& [file, text] : tree()) {
    if (!file.ends_with(".cc") || begins_as_one_of(file, elsewhere)) continue;
    EXPECT_NE(commands.find("\"" KD_SOURCE_DIR "/" + file + "\""), commands.npos)
        << file << " is not in the build: does a CMakeLists.txt reach its folder?";
  }
}

// The tests and CMakeLists.txt that may name a source which they compile elsewhere.
layers::Tree users_of_sources() {
  layers::Tree out;
  for (auto& [file, text] : tree()) {
    if (file.ends_with("_test.cc")) out[file] = text;
  }
  for (const char* folder : {"cli", "examples/project", "kd/engine", "tfimm"}) {
    const std::string file = std::string(folder) + "/CMakeLists.txt";
    out[file] = read(fs::path(KD_SOURCE_DIR) / file);
  }
  return out;
}

bool names(const std::string& text, const std::string& name) {
  for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    if (at > 0 && std::string_view("\"/( ").find(text[at - 1]) != std::string_view::npos)
      return true;
  }
  return false;
}

// Code on a page counts as tested when it stands in one of these: such a source is compiled, too.
TEST(Style, EverySourceThatIsCompiledElsewhereIsNamed) {
  const auto users = users_of_sources();
  for (auto& [file, text] : tree()) {
    if (!file.ends_with(".cc") || !begins_as_one_of(file, {"examples/launch/", "examples/project/",
                                                           "examples/tfimm/", "tests/own/"})) {
      continue;
    }
    const fs::path path = file;
    const std::string folder = path.parent_path().string();
    EXPECT_TRUE(std::ranges::any_of(users,
                                    [&](auto& user) {
                                      const bool near = user.first == folder + "/CMakeLists.txt";
                                      return (near ||
                                              user.second.find(folder) != std::string::npos) &&
                                             names(user.second, path.filename().string());
                                    }))
        << file << " is named by no test: what compiles it?";
  }
}

}  // namespace
