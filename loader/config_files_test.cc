// Copies of a config's files load as the originals do, also after those were changed or are gone.
#include "loader/config_files.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "loader/fixture_test.h"
#include "loader/program_identity_impl.h"

namespace loader {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

std::vector<std::string> names_of(const std::vector<ConfigFile>& files) {
  std::vector<std::string> out;
  for (auto& file : files) out.push_back(file.name);
  return out;
}

// Below `folder`; the path of the config there.
std::string copy(const std::vector<ConfigFile>& files, const fs::path& folder) {
  for (auto& file : files) {
    const fs::path to = folder / file.name;
    fs::create_directories(to.parent_path());
    fs::copy_file(file.source, to);
  }
  return (folder / files.front().name).string();
}

class ConfigFiles : public CompileTest {};

TEST_F(ConfigFiles, OfPythonWithItsImports) {
  fs::create_directories(dir() / "project/configs");
  write("project/configs/common.py", "SEED = 3\n");
  write("project/sizes.py", "WIDTH = 7\n");
  const std::string config =
      write("project/configs/my.py",
            "from kauldron import konfig\n"
            "import common\n"
            "import sizes\n"
            "import json\n"
            "def get_config():\n"
            "  return konfig.ConfigDict({'s': common.SEED, 'w': sizes.WIDTH})\n");
  const auto files = config_files({.source = config});
  EXPECT_THAT(names_of(files), ElementsAre("configs/my.py", "configs/common.py", "sizes.py"));
  const std::string kept = copy(files, dir() / "kept");
  fs::remove_all(dir() / "project");
  EXPECT_EQ(load({.source = kept}), (konfig::ConfigDict{{"s", 3}, {"w", 7}}));
}

TEST_F(ConfigFiles, OfCppWithItsCompiledForm) {
  use_fresh_cache();
  write("sizes.h", "inline constexpr int kWidth = 7;\n");
  const std::string config =
      write("my.cc", cc_config("return {{\"w\", kWidth}};", "#include \"sizes.h\"\n"));
  const auto files = config_files({.source = config});
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].name, "my.cc");
  EXPECT_EQ(files[1].name, "sizes.h");
  const int runs = compiler_runs();
  const std::string kept = copy(files, dir() / "kept");
  fs::remove(config);
  EXPECT_EQ(load({.source = kept}), (konfig::ConfigDict{{"w", 7}}));
  EXPECT_EQ(compiler_runs(), runs);
  // An edited copy is compiled.
  write("kept/my.cc", cc_config("return {{\"w\", kWidth + 1}};", "#include \"sizes.h\"\n"));
  EXPECT_EQ(load({.source = kept}), (konfig::ConfigDict{{"w", 8}}));
  EXPECT_EQ(compiler_runs(), runs + 1);
}

// The compiled form is looked up by this: before the engine is loaded in one command, after it in
// another.
TEST_F(ConfigFiles, TheProgramIsTheSameWhateverItLoadsLater) {
  const std::string config = write("my.cc", cc_config("return {{\"w\", 7}};"));
  const fs::path library = config_files({.source = config}).back().source;
  const std::vector<fs::path> before = own_libraries();
  ASSERT_FALSE(before.empty());
  const fs::path beside = before.front().parent_path() / ("later" + std::to_string(::getpid()));
  fs::copy_file(library, beside);
  void* const loaded = ::dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
  const std::vector<fs::path> after = own_libraries();
  fs::remove(beside);
  EXPECT_NE(loaded, nullptr);
  EXPECT_EQ(after, before);
}

TEST_F(ConfigFiles, OfDataAndOfNames) {
  const std::string config = write("a.json", "{\"x\": 1}");
  EXPECT_THAT(names_of(config_files({.source = config})), ElementsAre("a.json"));
  EXPECT_TRUE(config_files({.source = "-"}).empty());
}

}  // namespace
}  // namespace loader
