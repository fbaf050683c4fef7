// One --xp=file.cc that defines all that an experiment may be made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "cli/spawn_test.h"

namespace cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kFile = R"(#include <cstdlib>
#include <fstream>

#include "kxm/argv.h"
#include "kxm/executor.h"
#include "kxm/kxm.h"

using konfig::Dict;

struct Seeds {
  int count = 2;
  std::vector<Dict> points() const {
    std::vector<Dict> out;
    for (int i = 1; i <= count; ++i) out.push_back({{"seed", i}});
    return out;
  }
};
KXM_COMPONENT(kxm::SweepInfo, Seeds);

struct Pair {
  kxm::ProvidedJobs jobs(const kxm::JobsContext&) const {
    kxm::ProvidedJobs out;
    for (const char* name : {"first", "second"}) {
      const kxm::Job job{.target = "/bin/echo", .args = {{"dir", kxm::WU_DIR_PROXY}}};
      out.jobs.push_back({.name = name, .job = konfig::lower(job)});
    }
    return out;
  }
};
KXM_COMPONENT(kxm::JobsProvider, Pair);

struct Ordered {
  void plan(kxm::Orchestration& all) const {
    for (auto item : all.sweep) {
      item.per_job = Dict{{"second", Dict{{"args", Dict{{"late", true}}}}}};
      all.add(item).job("second").after = {"first"};
    }
  }
};
KXM_COMPONENT(kxm::Orchestrator, Ordered);

struct Halves {
  std::string xp_dirname = "{xid}-{half}", wu_dirname = "{half}{wid}";
  std::optional<konfig::Value> field(std::string_view name, const kxm::DirContext& at) const {
    if (name != "half") return std::nullopt;
    return at.wid == 0 ? "all" : at.wid % 2 ? "odd" : "even";
  }
};
KXM_COMPONENT(kxm::DirFormat, Halves);

// Runs each job when it is submitted.
struct AtOnce {
  std::string sign = "*";
  void submit(std::span<const kxm::Attempt> attempts) const {
    for (auto& attempt : attempts) {
      const std::string log = " > " + attempt.folder + "/log.txt";
      const int code = std::system((kxm::shell_line(attempt.what.argv) + log).c_str());
      std::ofstream(attempt.folder + "/code") << code;
      std::ofstream("order", std::ios::app) << sign << attempt.wid << attempt.job << "\n";
    }
  }
  std::vector<kxm::Seen> poll(std::span<const kxm::Attempt> attempts) const {
    std::vector<kxm::Seen> out;
    for (auto& attempt : attempts) {
      int code = -1;
      std::ifstream(attempt.folder + "/code") >> code;
      const auto how = code == 0 ? kxm::End::finished : kxm::End::exit_code;
      out.push_back({.is = kxm::Seen::Is::ended, .ended = kxm::Ended{.how = how, .code = code}});
    }
    return out;
  }
  void stop(std::span<const kxm::Attempt>, kxm::Stop) const {}
};
KXM_COMPONENT(kxm::Executor, AtOnce);

static konfig::ConfigDict get_config() {
  return konfig::lower(kxm::Experiment{.executor = AtOnce{.sign = "#"},
                                       .jobs_provider = Pair(),
                                       .root_dir = "runs",
                                       .subdir_format = Halves(),
                                       .sweep_info = Seeds(),
                                       .orchestrator = Ordered()});
}
KONFIG_EXPORT(get_config)
)";

TEST(OpenTypes, AllInOneFile) {
  const TempFolder folder;
  write_text(folder / "xp.cc", kFile);
  const SpawnOptions options{.env = {{"KD_STATE", folder / "state"}}, .folder = folder.path()};
  Outcome run = kd({"launch", "--xp=xp.cc", "--xp.sweep_info.count=3", "--dry_run"}, options);
  EXPECT_EQ(run.code, kFine) << run.err;
  const std::string dir = folder / "runs/1-all/";
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("3 units"), HasSubstr("1/2  seed=2, second.late=True"),
                    HasSubstr("folder: " + dir + "even2"),
                    HasSubstr("first: /bin/echo --dir=" + dir + "odd3 --seed=3\n"),
                    HasSubstr("second: /bin/echo --dir=" + dir + "odd3 --late=true --seed=3\n")));
  run = kd({"launch", "--xp=xp.cc"}, options);
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("its own executor"));
  const std::string order = read_text(folder / "order");
  EXPECT_THAT(order, AllOf(HasSubstr("#1first\n"), HasSubstr("#2second\n")));
  EXPECT_LT(order.find("#1first"), order.find("#1second"));
  EXPECT_THAT(kd({"logs", "1/2/second"}, options).out,
              HasSubstr("--dir=" + dir + "even2 --late=true --seed=2"));
}

}  // namespace
}  // namespace cli
