#include "cli/queued.h"

#include <algorithm>
#include <utility>

#include "cli/terminal.h"
#include "kxm/slurm.h"

namespace cli {

using kxm::JobState;

void look_in_queue(kxm::ExperimentRow& experiment, std::vector<kxm::UnitRow>& units) {
  if (experiment.executor != "slurm") return;
  std::vector<kxm::Attempt> attempts;
  std::vector<std::pair<const kxm::UnitRow*, kxm::JobRow*>> jobs;
  for (kxm::UnitRow& unit : units) {
    for (kxm::JobRow& job : unit.jobs) {
      if (job.state != JobState::running || job.attempts.empty()) continue;
      kxm::Attempt& attempt = attempts.emplace_back();
      attempt.token = job.attempts.back().token;
      attempt.folder = job.attempts.back().folder;
      jobs.emplace_back(&unit, &job);
    }
  }
  if (attempts.empty()) return;
  const kxm::QueueLook look = kxm::look_on_slurm(attempts);
  static std::string told;  // once, of all experiments and however long they are watched
  if (!look.trouble.empty() && look.trouble != told) {
    remark("Slurm does not answer: " + look.trouble);
  }
  told = look.trouble;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    auto& [unit, job] = jobs[i];
    kxm::AttemptRow& attempt = job->attempts.back();
    attempt.where = look.seen[i].where;
    if (look.seen[i].is == kxm::Seen::Is::waiting) {
      job->state = JobState::waiting;
      if (std::exchange(attempt.begun, 0) == 0) continue;
      ++attempt.requeues;  // it is in the queue again
      if (const auto round = kxm::last_round_on_slurm(attempt.folder)) {
        attempt.rounds.push_back(*round);
      }
    } else if (look.seen[i].ended) {
      attempt.ended = kxm::judged(*look.seen[i].ended, job->what.role, unit->dir);
      job->state = kxm::state_after(*attempt.ended);
    }
  }
  for (kxm::UnitRow& unit : units) {
    const JobState before = unit.state;
    unit.state = JobState::finished;
    for (const kxm::JobRow& job : unit.jobs) unit.state = std::max(unit.state, job.state);
    --experiment.units[before];
    ++experiment.units[unit.state];
  }
}

}  // namespace cli
