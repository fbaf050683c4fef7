#include "cli/queued.h"

#include <algorithm>

#include "cli/terminal.h"
#include "kxm/slurm.h"

namespace cli {

using kxm::JobState;

int look_in_queue(const kxm::ExperimentRow& experiment, std::vector<kxm::UnitRow>& units) {
  if (experiment.executor != "slurm") return 0;
  std::vector<kxm::Attempt> attempts;
  std::vector<kxm::JobRow*> jobs;
  for (kxm::UnitRow& unit : units) {
    for (kxm::JobRow& job : unit.jobs) {
      if (job.state != JobState::running || job.attempts.empty()) continue;
      kxm::Attempt& attempt = attempts.emplace_back();
      attempt.token = job.attempts.back().token;
      attempt.folder = job.attempts.back().folder;
      jobs.push_back(&job);
    }
  }
  if (attempts.empty()) return 0;
  const kxm::QueueLook look = kxm::look_on_slurm(attempts);
  static std::string told;  // once, of all experiments and however long they are watched
  if (!look.trouble.empty() && look.trouble != told) {
    remark("Slurm does not answer: " + look.trouble);
  }
  told = look.trouble;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i]->attempts.back().where = look.seen[i].where;
    if (look.seen[i].is == kxm::Seen::Is::waiting) jobs[i]->state = JobState::waiting;
  }
  int waiting = 0;
  for (kxm::UnitRow& unit : units) {
    if (unit.state != JobState::running) continue;
    const auto runs = [](const kxm::JobRow& job) { return job.state == JobState::running; };
    if (std::ranges::any_of(unit.jobs, runs)) continue;
    unit.state = JobState::waiting;
    ++waiting;
  }
  return waiting;
}

}  // namespace cli
