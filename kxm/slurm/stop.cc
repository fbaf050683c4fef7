// Stopping what Slurm has, and what it has yet to hear of.
#include <algorithm>
#include <map>

#include "base/file.h"
#include "kxm/records_impl.h"
#include "kxm/slurm.h"
#include "kxm/slurm/commands_impl.h"
#include "kxm/slurm/questions_impl.h"
#include "kxm/slurm/script_impl.h"
#include "kxm/slurm/stop_impl.h"

namespace kxm {

namespace fs = std::filesystem;
using slurm::Known;
using slurm::Memory;

namespace slurm {

namespace {

// "123_[0-4,7]" for each array.
std::vector<std::string> names_of(const std::vector<std::pair<std::int64_t, int>>& tasks) {
  std::map<std::int64_t, std::vector<int>> arrays;
  for (const auto& [id, index] : tasks) arrays[id].push_back(index);
  std::vector<std::string> out;
  for (auto& [id, indices] : arrays) {
    out.push_back(std::to_string(id) + "_[" + ranges(indices) + "]");
  }
  return out;
}

// False if Slurm does not answer.
bool cancel(std::vector<std::string> options,
            const std::vector<std::pair<std::int64_t, int>>& tasks) {
  if (tasks.empty()) return true;
  options.insert(options.begin(), {"scancel", "--quiet"});
  for (std::string& name : names_of(tasks)) options.push_back(std::move(name));
  const Outcome outcome = ask(options);
  return outcome.ok() || problem_of(outcome) == Problem::refused;
}

}  // namespace

void cancel_again(Memory& m, const Queue& queue) {
  // By what the queue says: `scancel --state=PENDING 12_3` cancels all of 12 that waits.
  std::vector<std::pair<std::int64_t, int>> away, asked;
  for (const auto& [task, how] : m.to_cancel) {
    const auto found = queue.tasks.find(task);
    if (found == queue.tasks.end() || is_over(found->second.state)) continue;
    const bool runs = found->second.state == "RUNNING";
    if (runs) asked.push_back(task);
    if (!runs || how == Stop::now) away.push_back(task);
  }
  if (!cancel({"--batch", "--signal=USR2", "--state=RUNNING"}, asked)) return;
  if (!cancel({}, away)) return;
  m.to_cancel.clear();
}

}  // namespace slurm

namespace {

// Whether Slurm never got to know of it, and never will: nobody else would note its end.
bool never_came(Memory& m, const Attempt& attempt, const slurm::Queue* queue) {
  const auto found = m.attempts.find(attempt.token);
  if (found == m.attempts.end()) return true;
  Known& known = m.batches[found->second.first];
  if (find_id(known, queue) || !known.free) return false;
  return known.batch.never_sent() || (queue && queue->asked > known.since);
}

// The tasks of attempts that Slurm has.
std::vector<std::pair<std::int64_t, int>> tasks_of(Memory& m, std::span<const Attempt> attempts,
                                                   double often) {
  std::vector<std::pair<std::int64_t, int>> out;
  for (const Attempt& attempt : attempts) {
    const auto found = m.attempts.find(attempt.token);
    if (found == m.attempts.end()) continue;
    Known& known = m.batches[found->second.first];
    // An answer that was lost is in the queue, unless sbatch is still at it.
    if (!find_id(known, nullptr) && known.free && !known.batch.never_sent()) {
      find_id(known, slurm::ask_queue(m, often));
    }
    if (known.batch.id) out.emplace_back(*known.batch.id, found->second.second);
  }
  return out;
}

}  // namespace

void Slurm::stop(std::span<const Attempt> attempts, Stop how) const {
  Memory& m = slurm::memory();
  const std::lock_guard guard(m.mutex);
  std::vector<Attempt> open;
  for (const Attempt& attempt : attempts) {
    if (!fs::exists(fs::path(attempt.folder) / kEnded)) open.push_back(attempt);
  }
  // First: whatever Slurm has yet to hear of, or never answers about, ends as soon as it starts.
  for (const Attempt& attempt : open) {
    fs::create_directories(attempt.folder);
    base::File(fs::path(attempt.folder) / kStop, O_WRONLY | O_CREAT)
        .write(how == Stop::now ? "now" : "");
  }
  m.find_batches(open);
  m.asking.reset();
  for (const auto& task : tasks_of(m, open, poll_seconds)) {
    Stop& known = m.to_cancel.try_emplace(task, how).first->second;
    if (how == Stop::now) known = how;
  }
  m.asking.reset();
  const slurm::Queue* queue = open.empty() ? nullptr : slurm::ask_queue(m, poll_seconds);
  if (queue) slurm::cancel_again(m, *queue);  // and in polls, while there is no answer
  for (const Attempt& attempt : open) {
    if (never_came(m, attempt, queue)) seal(attempt.folder, {.how = End::stopped});
  }
  m.asking.reset();
}

}  // namespace kxm
