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
    const std::pair name(found->second.array, task.second);
    if (runs) asked.push_back(name);
    if (!runs || how == Stop::now) away.push_back(name);
  }
  if (!cancel({"--batch", "--signal=USR2", "--state=RUNNING"}, asked)) return;
  if (!cancel({}, away)) return;
  m.to_cancel.clear();
}

}  // namespace slurm

namespace {

// Notes the end of one that does not run: whenever Slurm starts it, it finds that and ends. False
// if it runs. Somebody may have cancelled it in Slurm before: that stays how it ended.
bool never_starts(const Attempt& attempt, const Seen& seen) {
  const bool cancelled = seen.ended && seen.ended->how == End::stopped;
  Ended ended = cancelled ? *seen.ended : Ended{.how = End::stopped};
  const fs::path run = slurm::last_run(attempt.folder);
  if (const auto text = base::try_read_file(run / kEnded); text && !cancelled) {
    ended = ended_from_json(*text);
    // It was queued again, unless a full disk took the record of what had finished.
    if (ended.how != End::finished || slurm::was_asked(run)) ended.how = End::stopped;
  }
  try {
    return seal(attempt.folder, ended);
  } catch (const base::FileError&) {  // a file system without locks: it may run
    return false;
  }
}

// Those of their tasks that Slurm has are to be cancelled.
void give_up(Memory& m, std::span<const Attempt> attempts, Stop how, double often) {
  m.find_batches(attempts);
  for (const Attempt& attempt : attempts) {
    const auto found = m.attempts.find(attempt.token);
    if (found == m.attempts.end()) continue;
    Known& known = m.batches[found->second.first];
    // An answer that was lost is in the queue, unless sbatch is still at it.
    if (!find_id(known, nullptr) && known.free && !known.batch.never_sent()) {
      find_id(known, slurm::ask_queue(m, often));
    }
    if (!known.batch.id) continue;
    Stop& now = m.to_cancel.try_emplace(found->second, how).first->second;
    if (how == Stop::now) now = how;
  }
}

}  // namespace

void Slurm::stop(std::span<const Attempt> attempts, Stop how) const {
  const std::vector<Seen> seen = look_on_slurm(attempts).seen;
  Memory& m = slurm::memory();
  const std::lock_guard guard(m.mutex);
  std::vector<Attempt> running, never;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const Attempt& attempt = attempts[i];
    if (fs::exists(fs::path(attempt.folder) / kEnded)) continue;
    fs::create_directories(attempt.folder);
    base::File(fs::path(attempt.folder) / kStop, O_WRONLY | O_CREAT)
        .write(how == Stop::now ? "now" : "");
    (never_starts(attempt, seen[i]) ? never : running).push_back(attempt);
  }
  m.asking.reset();
  give_up(m, never, Stop::now, poll_seconds);
  give_up(m, running, how, poll_seconds);
  m.asking.reset();
  const bool any = !running.empty() || !never.empty();
  const slurm::Queue* queue = any ? slurm::ask_queue(m, poll_seconds) : nullptr;
  if (queue) slurm::cancel_again(m, *queue);  // and in polls, while there is no answer
  m.asking.reset();
}

}  // namespace kxm
