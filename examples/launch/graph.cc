// An ordered graph of jobs: `evaluate` waits for `train`, `report` for both.
//
//   kd launch --xp=examples/launch/graph.cc --xp.root_dir=runs
#include "kxm/kxm.h"

using konfig::Dict;
using konfig::List;

// Which jobs have to finish before another one starts, by name.
struct JobGraph {
  konfig::Map<std::vector<std::string>> after = {};  // {"evaluate": ["train"]}

  void plan(kxm::Orchestration& all) const {
    for (const kxm::SweepItem& item : all.sweep) {
      const auto unit = all.add(item);
      for (const auto& [job, before] : after) {
        for (const auto& name : before) unit.job(name);  // an error when there is no such job
        unit.job(job).after = before;
      }
    }
  }
};
KXM_COMPONENT(kxm::Orchestrator, JobGraph);

static konfig::ConfigDict get_config() {
  auto step = [](const char* text) {
    return kxm::Job{.target = "echo", .args = {{"step", text}, {"dir", kxm::WU_DIR_PROXY}}};
  };
  return konfig::lower(kxm::Experiment{
      .jobs = {{"train", step("train")},
               {"evaluate", step("evaluate")},
               {"report", step("report")}},
      .root_dir = "runs",
      .sweep_info = kxm::SimpleSweep{List{Dict{{"seed", 1}}, Dict{{"seed", 2}}}},
      .orchestrator =
          JobGraph{.after = {{"evaluate", {"train"}}, {"report", {"train", "evaluate"}}}},
  });
}
KONFIG_EXPORT(get_config)
