#include "kxm/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/temp_folder.h"
#include "konfig/error.h"
#include "konfig/expect_test.h"
#include "kxm/requirements.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using konfig::error_of;
using testing::ElementsAre;
using testing::Pair;

TEST(Settings, PlacesAndPlatforms) {
  const Settings settings = parse_settings(R"(
places:
  gpu:
    partition: gpu-long
    account: vision
    qos: normal
    setup: [module load cuda, "source env"]
  cpu: {setup: module load gcc}
platforms:
  big: a100=8
  fast: h100
gpus:
  a100: nvidia_a100_80gb
  t4: ""
)");
  EXPECT_EQ(settings.place("gpu"), (Place{.partition = "gpu-long",
                                          .account = "vision",
                                          .qos = "normal",
                                          .setup = {"module load cuda", "source env"}}));
  EXPECT_THAT(settings.place("cpu").setup, ElementsAre("module load gcc"));
  EXPECT_EQ(settings.platforms.at("big"), "a100=8");
  EXPECT_THAT(settings.gpus, ElementsAre(Pair("a100", "nvidia_a100_80gb"), Pair("t4", "")));
  auto platform = [&](const char* text) {
    Requirements out;
    add_platform(out, text, settings.platforms);
    return out.platform();
  };
  EXPECT_EQ(platform("big"), "a100=8");
  EXPECT_EQ(platform("fast"), "h100=1");
  EXPECT_EQ(platform("fast=2x2"), "h100=2x2");
  EXPECT_EQ(platform("a100=1"), "a100=1");
  EXPECT_EQ(error_of([&] { platform("big=2"); }),
            "platform 'big=2': 'big' is a100=8 in launch.yaml, which has a size; leave '=2' out");
  EXPECT_EQ(error_of([&] { settings.place("gpus"); }),
            "there is no place 'gpus' in launch.yaml; did you mean 'gpu'?; there is cpu, gpu");
}

TEST(Settings, Nothing) {
  EXPECT_EQ(parse_settings(""), Settings());
  EXPECT_EQ(parse_settings("# nothing\n"), Settings());
  EXPECT_EQ(parse_settings("places:\n"), Settings());
  EXPECT_EQ(error_of([] { Settings().place("gpu"); }),
            "there is no place 'gpu' in launch.yaml; add it under `places:`");
}

TEST(Settings, Errors) {
  EXPECT_THAT(error_of([] { parse_settings("platforms: {big: a1000}"); }),
              testing::StartsWith("platforms.big: platform 'a1000': 'a1000' is no resource"));
  EXPECT_EQ(error_of([] { parse_settings("place: {}"); }),
            "unknown key 'place'; did you mean 'places'?; known are places, platforms, gpus");
  EXPECT_EQ(
      error_of([] { parse_settings("places: {gpu: {quos: x}}"); }),
      "places.gpu: unknown key 'quos'; did you mean 'qos'?; known are partition, account, qos, "
      "setup");
  EXPECT_EQ(error_of([] { parse_settings("places: {gpu: {qos: 3}}"); }),
            "places.gpu.qos: expected a text, found int");
  EXPECT_EQ(error_of([] { parse_settings("places: {gpu: {setup: [a, 1]}}"); }),
            "places.gpu.setup[1]: expected a text, found int");
  EXPECT_EQ(error_of([] { parse_settings("[1]"); }),
            "expected a mapping with the keys places, platforms and gpus, found list");
  EXPECT_NE(error_of([] { parse_settings("a: ["); }), "");
}

TEST(Settings, TheProjectsFileReplacesTheUsers) {
  const base::TempFolder folder;
  const char* old = std::getenv("XDG_CONFIG_HOME");
  const std::string before = old ? old : "";
  ::setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
  fs::create_directories(folder / "kauldron");
  fs::create_directories(folder / "project");
  std::ofstream(folder / "kauldron/launch.yaml") << "places: {a: {qos: x}, b: {qos: y}}\n";
  EXPECT_EQ(read_settings(folder / "project").place("a").qos, "x");
  std::ofstream(folder / "project/launch.yaml") << "places: {a: {account: z}}\n";
  const Settings settings = read_settings(folder / "project");
  EXPECT_EQ(settings.place("a"), Place{.account = "z"});
  EXPECT_EQ(settings.place("b").qos, "y");
  std::ofstream(folder / "project/launch.yaml") << "x: 1\n";
  EXPECT_EQ(error_of([&] { read_settings(folder / "project"); }),
            (folder / "project/launch.yaml").string() +
                ": unknown key 'x'; known are places, platforms, gpus");
  if (old) {
    ::setenv("XDG_CONFIG_HOME", before.c_str(), 1);
  } else {
    ::unsetenv("XDG_CONFIG_HOME");
  }
}

}  // namespace
}  // namespace kxm
