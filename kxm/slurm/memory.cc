// What this process knows of Slurm.
#include "kxm/slurm/memory_impl.h"

#include "kxm/lock_impl.h"
#include "kxm/slurm/commands_impl.h"

namespace kxm::slurm {

namespace fs = std::filesystem;

bool Queue::has_open(const std::string& token) const {
  for (auto it = tasks.lower_bound({token, -1}); it != tasks.end() && it->first.first == token;
       ++it) {
    if (!is_over(it->second.state)) return true;
  }
  return false;
}

std::optional<std::int64_t> Queue::id_of(const std::string& token) const {
  const auto first = tasks.lower_bound({token, -1});
  const bool found = first != tasks.end() && first->first.first == token;
  return found ? std::optional(first->second.array) : std::nullopt;
}

void Memory::learn(Batch batch, bool fresh) {
  const std::string token = batch.token;
  for (std::size_t i = 0; i < batch.attempts.size(); ++i) {
    attempts[batch.attempts[i]] = {token, static_cast<int>(i)};
  }
  batches[token] = {.batch = std::move(batch)};
  if (fresh) batches[token].since = Clock::now();
  batches[token].width_known = fresh;
}

void Memory::read_folder(const fs::path& folder) {
  std::set<std::string> known;
  for (auto& [token, each] : batches) {
    if (each.batch.folder == folder) known.insert(token);
  }
  for (Batch& batch : read_batches(folder, known)) learn(std::move(batch), false);
  read.insert(folder);
}

void Memory::find_batches(std::span<const Attempt> open) {
  std::set<fs::path> folders;
  for (const Attempt& attempt : open) {
    if (!attempts.contains(attempt.token)) folders.insert(batches_folder(attempt));
  }
  for (const fs::path& folder : folders) read_folder(folder);
}

namespace {

std::string silence_text(const std::string& why) {
  return "Slurm does not answer (" + why + "); waiting until it does";
}

}  // namespace

void Memory::tell_silence(const std::string& why) {
  const bool news = silence.empty() != why.empty();
  silence = why;
  if (news && attendant.say) attendant.say(why.empty() ? "Slurm answers again" : silence_text(why));
}

void Memory::attend(const Attendant& by) {
  attendant = by;
  if (attendant.say && !silence.empty()) attendant.say(silence_text(silence));
}

void Memory::tell_limit(const std::string& what) {
  if (limit == what) return;
  limit = what;
  if (!attendant.say) return;
  attendant.say(limit.empty() ? "Slurm has taken all jobs"
                              : "Slurm takes no more jobs for now (" + limit +
                                    "); the rest is submitted when others have ended");
}

Memory& memory() {
  static Memory all;
  return all;
}

bool find_id(Known& known, const Queue* queue) {
  Batch& batch = known.batch;
  if (batch.id) return true;
  if (!known.free && !is_locked(batch.tasks())) {
    known.free = true;
    known.since = Clock::now();
  }
  batch.read_answer();
  if (batch.id) known.since = Clock::now();
  if (!batch.id && queue) batch.id = queue->id_of(batch.token);
  return batch.id.has_value();
}

}  // namespace kxm::slurm
