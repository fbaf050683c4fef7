#include "kxm/orchestrator.h"

#include <algorithm>

#include "base/join.h"
#include "konfig/suggest.h"

namespace kxm {
namespace {

auto find_job(PlannedUnit& unit, std::string_view name) {
  auto it = std::find_if(unit.jobs.begin(), unit.jobs.end(),
                         [&](const PlannedJob& job) { return job.name == name; });
  if (it != unit.jobs.end()) return it;
  std::vector<std::string> names;
  for (auto& job : unit.jobs) names.push_back(job.name);
  throw konfig::Error(konfig::ErrorKind::key,
                      "no job '" + std::string(name) + "' in the unit" +
                          konfig::did_you_mean(name, names) +
                          " (it has: " + (names.empty() ? "none" : base::join(names, ", ")) + ")");
}

}  // namespace

PlannedJob& Orchestration::Unit::job(std::string_view name) const {
  return *find_job(planned, name);
}
void Orchestration::Unit::remove(std::string_view job) const {
  planned.jobs.erase(find_job(planned, job));
}

void SweepOrchestrator::plan(Orchestration& all) const {
  all.reserve(all.sweep.size());
  for (auto& item : all.sweep) all.add(item);
}

}  // namespace kxm
