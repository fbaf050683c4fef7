// An experiment whose parts are all a user's own: each says on the console that it was called.
// cli/own_test.cc launches it.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kxm/kxm.h"
#include "tests/own/called.h"

struct Numbers {
  int count = 2;
  std::vector<konfig::Dict> points() const {
    called("SweepInfo");
    std::vector<konfig::Dict> out;
    for (int n = 1; n <= count; ++n) out.push_back({{"n", n}});
    return out;
  }
};
KXM_COMPONENT(kxm::SweepInfo, Numbers);

struct OneMore {
  kxm::ProvidedJobs jobs(const kxm::JobsContext&) const {
    called("JobsProvider");
    kxm::ProvidedJobs out;
    out.jobs.push_back({.name = "second", .job = konfig::lower(kxm::Job{.target = "/bin/true"})});
    return out;
  }
};
KXM_COMPONENT(kxm::JobsProvider, OneMore);

struct InOrder {
  void plan(kxm::Orchestration& all) const {
    called("Orchestrator");
    for (auto& item : all.sweep) all.add(item).job("second").after = {"first"};
  }
};
KXM_COMPONENT(kxm::Orchestrator, InOrder);

struct Letters {
  konfig::Value xp_dirname = "{xid}";
  konfig::Value wu_dirname = "unit_{letter}";
  std::optional<konfig::Value> field(std::string_view name, const kxm::DirContext& at) const {
    called("DirFormat");
    if (name != "letter") return std::nullopt;
    return konfig::Value(std::string(1, static_cast<char>('a' + at.wid - 1)));
  }
};
KXM_COMPONENT(kxm::DirFormat, Letters);

// Runs each job to its end before the next one.
struct OneByOne {
  void submit(std::span<const kxm::Attempt> attempts) const {
    called("Executor");
    for (const kxm::Attempt& attempt : attempts) {
      std::filesystem::create_directories(attempt.folder);
      std::ofstream(attempt.folder + "/code") << std::system(attempt.what.argv[0].c_str());
    }
  }
  std::vector<kxm::Seen> poll(std::span<const kxm::Attempt> attempts) const {
    std::vector<kxm::Seen> out(attempts.size());
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      int code = 0;
      if (!(std::ifstream(attempts[i].folder + "/code") >> code)) continue;
      out[i].is = kxm::Seen::Is::ended;
      out[i].ended = kxm::Ended{
          .how = code == 0 ? kxm::End::finished : kxm::End::exit_code, .code = code, .host = ""};
    }
    return out;
  }
  void stop(std::span<const kxm::Attempt>, kxm::Stop) const {}
};
KXM_COMPONENT(kxm::Executor, OneByOne);

static konfig::ConfigDict get_config() {
  return konfig::lower(kxm::Experiment{
      .executor = OneByOne(),
      .jobs = {{"first", kxm::Job{.target = "/bin/true", .args = {{"dir", kxm::WU_DIR_PROXY}}}}},
      .jobs_provider = OneMore(),
      .root_dir = "runs",
      .subdir_format = Letters(),
      .sweep_info = Numbers(),
      .orchestrator = InOrder(),
  });
}
KONFIG_EXPORT(get_config)
