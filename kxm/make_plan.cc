#include "kxm/make_plan.h"

#include <algorithm>

#include "konfig/lower.h"
#include "kxm/plan_maker_impl.h"
#include "kxm/targets_impl.h"

namespace kxm {

Plan make_plan(const konfig::ConfigDict& experiment, const PlanContext& context) {
  return std::make_shared<detail::PlanMaker>(experiment, context)->make();
}

Plan make_plan(const Experiment& experiment, const PlanContext& context) {
  return make_plan(konfig::lower(experiment), context);
}

void use_programs(Plan& plan, const std::map<std::string, std::string>& programs) {
  auto replace = [&](std::string& program) {
    if (auto it = programs.find(program); it != programs.end()) program = it->second;
  };
  for (auto& unit : plan.units) {
    for (auto& job : unit.jobs) {
      const auto words = detail::program_words(job.argv);
      for (std::size_t i = 0; i < std::min(words, job.argv.size()); ++i) replace(job.argv[i]);
    }
  }
  for (auto& program : plan.programs) replace(program);
}

}  // namespace kxm
