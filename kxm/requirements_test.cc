#include "kxm/requirements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kxm {
namespace {

using konfig::Dict;
using konfig::Error;
using testing::HasSubstr;

Requirements of(const std::string& platform, const Dict& fields = {},
                const std::map<std::string, std::string>& names = {}) {
  Requirements out;
  if (!platform.empty()) add_platform(out, platform, names);
  add_requirements(out, fields);
  return out;
}
std::string error_of(const std::string& platform, const Dict& fields = {}) {
  try {
    of(platform, fields);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Requirements, Platforms) {
  EXPECT_EQ(of("cpu").platform(), "cpu");
  EXPECT_EQ(of("").platform(), "cpu");
  EXPECT_EQ(of("V100").platform(), "v100=1");
  EXPECT_EQ(of("a100=8").resources().gpus, 8);
  EXPECT_EQ(of("tpu_v2=2x2").platform(), "jf=2x2");
  EXPECT_TRUE(of("jf=4x4_twisted").is_tpu());
  EXPECT_EQ(of("jf=4x4_twisted").topology->chips(), 16);
  EXPECT_EQ(of("cpu=4").resources().cpus, 4);
  EXPECT_EQ(of("big", {}, {{"big", "h100=2"}}).platform(), "h100=2");
}

TEST(Requirements, Amounts) {
  const Resources r =
      of("", {{"CPU", 2.5}, {"ram", "16GiB"}, {"local_gpu", 2}, {"time", "2h"}}).resources();
  EXPECT_EQ(r, (Resources{.cpus = 2.5, .memory = 17179869184, .gpus = 2, .seconds = 7200}));
  EXPECT_EQ(of("", {{"memory", "500M"}}).resources().memory, 524288000);
  EXPECT_EQ(of("", {{"ram", 1000}}).resources().memory, 1000);
}

TEST(Requirements, Replicas) {
  EXPECT_EQ(of("v100=4x2").resources().replicas, 2);
  EXPECT_EQ(of("v100=4x2").resources().gpus, 4);
  EXPECT_EQ(of("gb200=4x18x2").resources().replicas, 36);
  EXPECT_EQ(of("a100=1", {{"replicas", 3}}).resources().replicas, 3);
  EXPECT_THAT(error_of("v100=4x2", {{"replicas", 4}}), HasSubstr("has 2"));
  EXPECT_THAT(error_of("", {{"replicas", 5.5}}), HasSubstr("positive whole number"));
  EXPECT_THAT(error_of("", {{"replicas", 0}}), HasSubstr("positive whole number"));
}

TEST(Requirements, NoGpusAreNone) {
  Requirements none;
  add_requirements(none, {{"gpu", 0}, {"cpu", 2}});
  EXPECT_EQ(none.resources().gpus, 0);
  EXPECT_EQ(none.platform(), "cpu");
}

TEST(Requirements, Mistakes) {
  EXPECT_THAT(error_of("a10=1"), HasSubstr("did you mean 'a100'"));
  EXPECT_THAT(error_of("a100=0"), HasSubstr("'0' is no number of chips"));
  EXPECT_THAT(error_of("a100=x2"), HasSubstr("platform 'a100=x2'"));
  EXPECT_THAT(error_of("a100="), HasSubstr("no number of chips"));
  EXPECT_THAT(error_of("ram=5"), HasSubstr("requirements.ram"));
  EXPECT_THAT(error_of("a100=1", {{"v100", 1}}), HasSubstr("one kind of accelerator"));
  EXPECT_THAT(error_of("cpu=1", {{"cpu", 2}}), HasSubstr("cpu: given twice"));
  EXPECT_THAT(error_of("", {{"ram", 1}, {"memory", 2}}), HasSubstr("given twice"));
  EXPECT_THAT(error_of("", {{"ram", "lots"}}), HasSubstr("expected an amount"));
  EXPECT_THAT(error_of("", {{"cpu", -1}}), HasSubstr("expected an amount"));
  EXPECT_THAT(error_of("", {{"cpus", 1}}), HasSubstr("did you mean 'cpu'"));
  EXPECT_THAT(error_of("", {{"time", "soon"}}), HasSubstr("expected a time such as 90 (seconds)"));
  EXPECT_THAT(error_of("a100=99999999999999999999"), HasSubstr("no number of chips"));
  EXPECT_THAT(error_of("jf=1000x1000x1000"), HasSubstr("no number of chips"));
}

TEST(Requirements, InWords) {
  EXPECT_EQ(time_text(240), "4 min");
  EXPECT_EQ(time_text(5400), "1 h 30 min");
  EXPECT_EQ(time_text(90), "1 min 30 s");
  EXPECT_EQ(time_text(216000), "2 d 12 h");
  EXPECT_EQ(needs_text({}), "");
  EXPECT_EQ(needs_text({.cpus = 1, .memory = std::int64_t{16} << 30, .seconds = 240}),
            "1 CPU, 16 GiB of memory, 4 min of time");
  EXPECT_EQ(needs_text({.cpus = 0.5,
                        .memory = 1'500'000'000,
                        .gpus = 2,
                        .gpu_type = "a100",
                        .replicas = 4,
                        .place = "big",
                        .container = "image.sif"}),
            "0.5 CPUs, 1430.5 MiB of memory, 2 a100 GPUs for each of 4 tasks, cell big, container "
            "image.sif");
  EXPECT_EQ(needs_text({.replicas = 3}), "3 tasks");
}

TEST(Requirements, MergedAsXManagerDoes) {
  auto read = [](const char* platform, const konfig::Dict& fields) {
    Requirements out;
    if (*platform) add_platform(out, platform);
    add_requirements(out, fields);
    return out;
  };
  const Requirements all = merged(
      read("a100=4", {{"cpu", 4}, {"ram", "8GiB"}, {"service_tier", "PROD"}, {"time", "1h"}}),
      read("", {{"v100", 2}, {"memory", "16GiB"}}));
  EXPECT_EQ(all.platform(), "v100=2");  // another one takes its place
  EXPECT_EQ(all.amounts.at("cpu"), 4);
  EXPECT_EQ(all.amounts.at("ram"), 16.0 * (1 << 30));
  EXPECT_EQ(all.seconds, 3600);
  EXPECT_EQ(all.others.at("service_tier"), konfig::Value("PROD"));  // XManager loses it
  EXPECT_EQ(merged(read("a100=4", {}), read("", {{"cpu", 1}})).platform(), "a100=4");
  EXPECT_THROW(merged(read("", {{"replicas", 3}}), read("v100=4x2", {})), konfig::Error);
  Requirements again;
  add_requirements(again, all.fields());
  EXPECT_EQ(again.resources().memory, all.resources().memory);
  EXPECT_EQ(again.seconds, all.seconds);
}

}  // namespace
}  // namespace kxm
