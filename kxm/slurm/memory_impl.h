// What this process knows of Slurm: batches, answers, pauses. Experiments side by side share it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kxm/executor.h"
#include "kxm/slurm/batch_impl.h"
#include "kxm/slurm/outputs.h"

namespace kxm::slurm {

inline constexpr int kUsualArray = 1001;  // Slurm's default MaxArraySize

using Clock = std::chrono::steady_clock;

inline std::chrono::milliseconds in_seconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

// A pause that grows while it is in vain.
class Patience {
 public:
  bool allows() const { return Clock::now() >= next_; }
  void spent(std::chrono::milliseconds most,
             std::chrono::milliseconds least = std::chrono::seconds(1)) {
    pause_ = std::min(most, std::max(least, pause_ + pause_ / 2));
    next_ = Clock::now() + pause_;
  }
  void reset() {
    pause_ = {};
    next_ = {};
  }

 private:
  std::chrono::milliseconds pause_{0};
  Clock::time_point next_ = {};
};

// What squeue said.
struct Queue {
  Clock::time_point asked = {};  // before the question: what was there then is in the answer
  // By the token of the batch and the index. Not by number: a controller that was killed gives the
  // last ones again.
  std::map<std::pair<std::string, int>, Task> tasks = {};

  bool has_open(const std::string& token) const;  // a task of this batch that waits or runs
  std::optional<std::int64_t> id_of(const std::string& token) const;
};

struct Known {
  Batch batch;
  Clock::time_point since = {};  // its id is known, or sbatch was seen not to run any more
  bool free = false;             // no sbatch was at work on it at `since`
  bool width_known = false;      // Slurm has the width of its lane; another launcher may differ
};

struct Memory {
  std::mutex mutex;
  std::map<std::string, Known> batches = {};                         // by token
  std::map<std::string, std::pair<std::string, int>> attempts = {};  // token: batch, index
  std::set<std::filesystem::path> read = {};  // folders whose batches are all known
  std::optional<Queue> queue = {};
  Patience asking, submitting;
  bool failing = false;                 // the last question got no answer
  std::optional<bool> accounting = {};  // whether this cluster has it
  std::optional<int> array_size = {};
  std::vector<Nodes> nodes = {};  // that the cluster has
  Clock::time_point nodes_asked = {};
  std::size_t chunk = 0;  // how many tasks fitted below a submit limit; 0: no limit was hit
  std::map<std::string, Clock::time_point> gone = {};  // attempts without a record, since when
  // Attempts that ended to be queued again, and that Slurm takes for running; since when.
  std::map<std::string, Clock::time_point> handed_back = {};
  // Tasks to stop, by token and index: Slurm did not answer.
  std::map<std::pair<std::string, int>, Stop> to_cancel = {};
  Attendant attendant = {};
  std::string silence = {};  // why Slurm does not answer; "": it does
  std::string limit = {};    // the submit limit that people know of

  void learn(Batch batch, bool fresh);
  // The batches of an experiment's folder that earlier launchers wrote. Afterwards a token that no
  // batch has was never submitted.
  void read_folder(const std::filesystem::path& folder);
  // Of all folders of attempts that no known batch has.
  void find_batches(std::span<const Attempt> open);
  // Tell people what is wrong, once, and when it is over: "".
  void tell_silence(const std::string& why);  // Slurm does not answer
  void attend(const Attendant& by);
  void tell_limit(const std::string& what);  // it takes no more jobs for now
};

Memory& memory();

// Whether the batch's id is known by now. `queue` may name it by its token.
bool find_id(Known& known, const Queue* queue);

}  // namespace kxm::slurm
