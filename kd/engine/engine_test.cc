#include "kd/engine/engine.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/temp_folder.h"
#include "kd/engine/api.h"
#include "kd/engine/cores_impl.h"
#include "konfig/error.h"

namespace kd::engine {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string error_of(const Options& options) {
  try {
    configure(options);
  } catch (const konfig::Error& e) {
    return e.what();
  }
  return "";
}

class Cgroups : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  double cores(const std::string& proc) { return cgroup_cores(proc, root_.path().string()); }

  const base::TempFolder root_;
};

TEST_F(Cgroups, SmallestQuotaOnTheWayCounts) {
  write("a/cpu.max", "150000 100000\n");
  write("a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(cores("0::/a/b\n"), 1.5);
  EXPECT_EQ(cores("0::/\n"), INFINITY);
  EXPECT_EQ(cores("0::/not/visible\n"), INFINITY);
  EXPECT_EQ(cores(""), INFINITY);
  EXPECT_EQ(cores("nonsense"), INFINITY);
}

TEST_F(Cgroups, InAContainerTheTopCounts) {
  write("cpu.max", "200000 100000\n");
  EXPECT_EQ(cores("0::/somewhere/outside\n"), 2);
}

TEST_F(Cgroups, FirstVersion) {
  write("cpu/job/cpu.cfs_quota_us", "300000\n");
  write("cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cores("4:cpu,cpuacct:/job\n3:memory:/x\n"), 3);
  write("cpu/free/cpu.cfs_quota_us", "-1\n");
  write("cpu/free/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cores("4:cpu,cpuacct:/free\n"), INFINITY);
}

TEST(Engine, CoresFollowTheAffinity) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (!CPU_ISSET(i, &before)) continue;
    CPU_SET(i, &one);
    break;
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(available_cores(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
  EXPECT_GE(available_cores(), 1);
  EXPECT_LE(available_cores(), CPU_COUNT(&before));
}

TEST(Engine, Configure) {
  configure({.threads = 1});
  EXPECT_EQ(at::get_num_threads(), 1);
  configure();
  EXPECT_EQ(at::get_num_threads(), available_cores());
  EXPECT_TRUE(device().is_cpu());
  EXPECT_THAT(describe(), HasSubstr("device cpu, "));
  EXPECT_THAT(kd_engine_api()->start({.threads = 1}), HasSubstr("1 thread"));
  configure();
}

TEST(Engine, BadOptions) {
  EXPECT_THAT(error_of({.threads = 0}), HasSubstr("at least 1"));
  EXPECT_THAT(error_of({.device = "gpu"}), HasSubstr("device 'gpu': expected cpu"));
  // Also where there is a GPU: nothing would be computed on it.
  for (const char* cuda : {"cuda", "cuda:1"}) {
    EXPECT_EQ(error_of({.device = cuda}),
              std::string("device ") + cuda + ": GPUs are not supported yet; use --device=cpu");
  }
  EXPECT_TRUE(device().is_cpu());
  configure();
}

}  // namespace
}  // namespace kd::engine
