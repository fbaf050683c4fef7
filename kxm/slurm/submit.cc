// Submitting: jobs that ask for the same become arrays, in parts that Slurm accepts.
#include <unistd.h>

#include <algorithm>

#include "base/file.h"
#include "kxm/lock_impl.h"
#include "kxm/slurm.h"
#include "kxm/slurm/commands_impl.h"
#include "kxm/slurm/lanes_impl.h"
#include "kxm/slurm/questions_impl.h"
#include "kxm/slurm/script_impl.h"

namespace kxm {

namespace fs = std::filesystem;
using slurm::Batch;
using slurm::Memory;
using slurm::Problem;

namespace {

enum class Sent {
  yes,      // or it may be: the token finds it
  later,    // Slurm does not answer
  smaller,  // it takes no array of this size
  limit,    // it takes not so many jobs now
};

// Sends jobs that ask for the same.
class Submitter {
 public:
  Submitter(const Slurm& slurm, Memory& m, std::size_t size) : slurm_(slurm), m_(m), size_(size) {
    runner_ = slurm.runner;
    if (runner_.empty()) runner_ = {fs::read_symlink("/proc/self/exe").string(), "__job"};
  }

  // How many of them Slurm has taken, from the first on.
  std::size_t operator()(std::span<const Attempt> attempts) {
    std::size_t sent = 0;
    std::optional<slurm::Lanes> lanes = share(attempts);
    while (sent < attempts.size()) {
      if (!lanes) return sent;
      const std::size_t most = m_.chunk > 0 ? std::min(m_.chunk, size_) : size_;
      const auto part = attempts.subspan(sent, std::min(most, attempts.size() - sent));
      switch (send(part, lanes->next())) {
        case Sent::yes:
          lanes->took(m_.batches.at(last_).batch);
          sent += part.size();
          if (m_.chunk > 0) m_.chunk = 2 * part.size();
          if (interrupted_) return sent;
          break;
        case Sent::smaller:
          if (part.size() == 1) return sent;
          size_ = smaller(part.size());
          if (sent == 0) lanes = share(attempts);
          break;
        case Sent::limit:
          m_.chunk = (part.size() + 1) / 2;
          if (part.size() == 1) return sent;
          break;
        case Sent::later:
          return sent;
      }
    }
    return sent;
  }

 private:
  std::optional<slurm::Lanes> share(std::span<const Attempt> attempts) {
    const std::size_t batches = (attempts.size() + size_ - 1) / size_;
    return slurm::open_lanes(m_, slurm_, attempts.front(), attempts.size(), batches);
  }

  std::size_t smaller(std::size_t refused) const {
    const bool told = m_.array_size && static_cast<std::size_t>(*m_.array_size) < refused;
    return told ? static_cast<std::size_t>(*m_.array_size) : (refused + 1) / 2;
  }

  Sent send(std::span<const Attempt> attempts, const slurm::Lane& lane) {
    const Resources& resources = attempts.front().what.resources;
    Batch batch = slurm::begin_batch(slurm::batches_folder(attempts.front()), attempts, lane);
    // sbatch submits when it has its script, and gets that once the batch is written down.
    const auto script = [&] {
      slurm::write_batch(
          batch, attempts,
          {.setup = slurm::place_of(slurm_, resources).setup, .requeues = slurm_.requeues});
      return slurm::batch_script(runner_, batch.tasks());
    };
    std::optional<int> code;
    {
      const base::File tasks(batch.tasks(), O_RDWR);
      try_lock(tasks.descriptor(), batch.tasks());
      code = slurm::run_to_file(slurm::sbatch_command(slurm_, batch, attempts.front()), script,
                                batch.file(".answer"), tasks.descriptor());
    }
    batch.read_answer();
    Sent result = Sent::yes;
    interrupted_ = !code;
    if (!batch.id && code && *code != 0) result = judge(batch);
    if (result != Sent::yes) {
      batch.remove();
      return result;
    }
    last_ = batch.token;
    if (batch.id) m_.tell_silence("");
    if (!batch.id && batch.refused.empty() && m_.attendant.unclear) {
      for (const Attempt& attempt : attempts) m_.attendant.unclear(attempt);
    }
    m_.learn(std::move(batch), true);
    m_.asking.reset();
    return result;
  }

  // What its complaint means.
  Sent judge(Batch& batch) {
    const std::string err = base::try_read_file(batch.file(".answer")).value_or("");
    if (!m_.array_size && err.find("Invalid job array") != err.npos) {
      return slurm::ask_array_size(m_) ? Sent::smaller : Sent::later;
    }
    switch (slurm::problem_of(err)) {
      case Problem::away:
        m_.tell_silence(slurm::reason_in(err));
        return Sent::later;
      case Problem::limit:
        m_.tell_limit(slurm::limit_in(err));
        return Sent::limit;
      case Problem::refused:
        batch.refuse(err);
        return Sent::yes;
      case Problem::unclear:
        return Sent::yes;
    }
    return Sent::yes;
  }

  const Slurm& slurm_;
  Memory& m_;
  std::size_t size_;  // tasks of an array, at most
  std::vector<std::string> runner_;
  std::string last_;          // the token of the batch that was sent last
  bool interrupted_ = false;  // something was asked of the launcher meanwhile
};

// The attempts that can be tasks of one array, by their places; most often all of them.
std::vector<std::vector<std::size_t>> alike(std::span<const Attempt> attempts) {
  std::vector<std::vector<std::size_t>> out;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const auto& group) {
      const Attempt& first = attempts[group.front()];
      return first.job == attempts[i].job && first.xid == attempts[i].xid &&
             first.what.resources == attempts[i].what.resources;
    });
    (same != out.end() ? *same : out.emplace_back()).push_back(i);
  }
  return out;
}

}  // namespace

bool Slurm::accepts() const {
  Memory& m = slurm::memory();
  const std::lock_guard guard(m.mutex);
  return m.submitting.allows();
}

std::vector<bool> Slurm::submit(std::span<const Attempt> attempts) const {
  Memory& m = slurm::memory();
  const std::lock_guard guard(m.mutex);
  std::vector<bool> out(attempts.size(), false);
  if (attempts.empty() || !m.submitting.allows()) return out;
  // Most clusters have Slurm's default; asking takes as long as submitting does.
  const bool few = attempts.size() <= slurm::kUsualArray && !m.array_size;
  const auto size = few ? std::optional(slurm::kUsualArray) : slurm::ask_array_size(m);
  std::size_t taken = 0;
  if (size) {
    Submitter send(*this, m, static_cast<std::size_t>(*size));
    for (const auto& indices : alike(attempts)) {
      std::vector<Attempt> part;
      const bool all = indices.size() == attempts.size();
      for (const std::size_t i : indices) {
        if (!all) part.push_back(attempts[i]);
      }
      const std::size_t of_kind = send(all ? attempts : part);
      for (std::size_t i = 0; i < of_kind; ++i) out[indices[i]] = true;
      taken += of_kind;
      if (of_kind < indices.size()) break;
    }
  }
  if (taken == attempts.size()) {
    m.submitting.reset();
    m.tell_limit("");
    return out;
  }
  if (taken > 0) m.submitting.reset();
  m.submitting.spent(std::chrono::seconds(60), slurm::in_seconds(m.chunk > 0 ? poll_seconds : 1));
  return out;
}

}  // namespace kxm
