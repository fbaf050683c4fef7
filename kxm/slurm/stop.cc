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

void cancel_again(Memory& m) {
  while (!m.to_cancel.empty()) {
    const Outcome outcome = ask(m.to_cancel.front());
    if (!outcome.ok() && problem_of(outcome) != Problem::refused) return;
    m.to_cancel.erase(m.to_cancel.begin());
  }
}

}  // namespace slurm

namespace {

// "123_[0-4,7]" for each array that has some of them.
std::vector<std::string> names_of(Memory& m, std::span<const Attempt> attempts, double often) {
  std::map<std::int64_t, std::vector<int>> tasks;
  for (const Attempt& attempt : attempts) {
    const auto found = m.attempts.find(attempt.token);
    if (found == m.attempts.end()) continue;
    Known& known = m.batches[found->second.first];
    // An answer that was lost is in the queue, unless sbatch is still at it.
    if (!find_id(known, nullptr) && known.free && !known.batch.never_sent()) {
      find_id(known, slurm::ask_queue(m, often));
    }
    if (known.batch.id) tasks[*known.batch.id].push_back(found->second.second);
  }
  std::vector<std::string> out;
  for (auto& [id, indices] : tasks) {
    std::sort(indices.begin(), indices.end());
    out.push_back(std::to_string(id) + "_[" + slurm::ranges(indices) + "]");
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
  const auto names = names_of(m, open, poll_seconds);
  if (names.empty()) return;
  const auto cancel = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"scancel", "--quiet"});
    options.insert(options.end(), names.begin(), names.end());
    m.to_cancel.push_back(std::move(options));
  };
  cancel({"--state=PENDING"});
  cancel({"--state=RUNNING", "--batch", "--signal=USR2"});
  if (how == Stop::now) cancel({});
  slurm::cancel_again(m);  // and in polls, while there is no answer
  m.asking.reset();
}

}  // namespace kxm
