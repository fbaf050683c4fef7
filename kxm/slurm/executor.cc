// The executor of a Slurm cluster.
#include "kxm/slurm.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

#include <unistd.h>

#include "base/file.h"
#include "base/join.h"
#include "konfig/error.h"
#include "kxm/lock_impl.h"
#include "kxm/records_impl.h"
#include "kxm/slurm/batch_impl.h"
#include "kxm/slurm/commands_impl.h"
#include "kxm/slurm/container_impl.h"
#include "kxm/slurm/outputs.h"
#include "kxm/slurm/script_impl.h"

namespace kxm {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;
using slurm::Batch;
using slurm::Problem;
using slurm::Task;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

milliseconds in_seconds(double seconds) {
  return milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

// A pause that grows while it is in vain.
class Patience {
 public:
  bool allows() const { return Clock::now() >= next_; }
  void spent(milliseconds most) {
    pause_ = std::min(most, pause_.count() == 0 ? milliseconds(1000) : pause_ + pause_ / 2);
    next_ = Clock::now() + std::min(pause_, most);
  }
  void reset() {
    pause_ = milliseconds(0);
    next_ = {};
  }

 private:
  milliseconds pause_{0};
  Clock::time_point next_ = {};
};

// What squeue said.
struct Queue {
  Clock::time_point asked = {};  // before the question: what was there then is in the answer
  std::map<std::pair<std::int64_t, int>, Task> tasks = {};
  std::map<std::string, std::int64_t> ids = {};  // by the token of a batch
};

struct Known {
  Batch batch;
  Clock::time_point since = {};  // its id is known, or sbatch was seen not to run any more
  bool free = false;             // no sbatch was at work on it at `since`
  bool read = false;             // its answer was looked for
};

// What this process knows; experiments side by side share it.
struct Memory {
  std::mutex mutex;
  std::map<std::string, Known> batches = {};                         // by token
  std::map<std::string, std::pair<std::string, int>> attempts = {};  // token: batch, index
  std::optional<Queue> queue = {};
  Patience asking, submitting;
  bool failing = false;  // the last question got no answer
  std::optional<bool> accounting = {};
  std::optional<int> array_size = {};
  std::map<std::string, Clock::time_point> gone = {};    // attempts without a record, since when
  std::vector<std::vector<std::string>> to_cancel = {};  // commands that got no answer

  void learn(Batch batch, bool fresh) {
    const std::string token = batch.token;
    for (std::size_t i = 0; i < batch.attempts.size(); ++i) {
      attempts[batch.attempts[i]] = {token, static_cast<int>(i)};
    }
    batches[token] = {.batch = std::move(batch)};
    if (fresh) batches[token].since = Clock::now();
  }
  void forget(const Batch& batch) {
    for (const std::string& attempt : batch.attempts) attempts.erase(attempt);
    batches.erase(batch.token);
  }
};

Memory& memory() {
  static Memory all;
  return all;
}

std::optional<Ended> record_of(const Attempt& attempt) {
  const auto text = base::try_read_file(fs::path(attempt.folder) / kEnded);
  return text ? std::optional(ended_from_json(*text)) : std::nullopt;
}

// ---- Questions ----------------------------------------------------------------------------------

// Nothing if there is no answer; asked again only after a while.
const Queue* ask_queue(Memory& m, const Slurm& slurm) {
  if (!m.asking.allows()) return m.failing || !m.queue ? nullptr : &*m.queue;
  Queue queue = {.asked = Clock::now()};
  m.failing = true;
  try {
    const slurm::Outcome outcome = slurm::ask({"squeue", "--noheader", "--array", "--states=all",
                                               "--user=" + std::to_string(::getuid()),
                                               "--format=" + std::string(slurm::kQueueFormat)});
    if (outcome.ok()) {
      for (Task& task : slurm::parse_queue(outcome.out)) {
        if (!task.comment.starts_with(slurm::kComment)) continue;
        queue.ids[task.comment.substr(slurm::kComment.size())] = task.array;
        queue.tasks[{task.array, task.index}] = std::move(task);
      }
      m.failing = false;
    }
  } catch (const Error&) {  // not an answer
  }
  if (m.failing) {
    m.asking.spent(std::chrono::seconds(60));
    return nullptr;
  }
  m.queue = std::move(queue);
  m.asking.spent(in_seconds(slurm.poll_seconds));
  return &*m.queue;
}

// What became of tasks that squeue does not show as alive. Nothing for an array without an answer.
using Past = std::map<std::int64_t, std::map<int, Task>>;
void ask_accounting(Memory& m, const std::set<std::int64_t>& ids, Past& past) {
  if (m.accounting == false || ids.empty()) return;
  std::string list;
  for (const auto id : ids) list += (list.empty() ? "" : ",") + std::to_string(id);
  const slurm::Outcome outcome =
      slurm::ask({"sacct", "--noheader", "--parsable2", "--allocations", "--jobs=" + list,
                  "--format=" + std::string(slurm::kAccountFormat)});
  if (!outcome.ok()) {
    if (outcome.err.find("accounting storage is disabled") != std::string::npos)
      m.accounting = false;
    return;
  }
  m.accounting = true;
  for (Task& task : slurm::parse_accounts(outcome.out))
    past[task.array][task.index] = std::move(task);
}

void ask_controller(const std::set<std::int64_t>& ids, Past& past) {
  for (const auto id : ids) {
    const slurm::Outcome outcome =
        slurm::ask({"scontrol", "--oneliner", "show", "job", std::to_string(id)});
    if (!outcome.ok()) {
      if (slurm::says_unknown_job(outcome.err + outcome.out)) past[id];
      continue;
    }
    auto& tasks = past[id];
    for (Task& task : slurm::parse_jobs(outcome.out))
      tasks.try_emplace(task.index, std::move(task));
  }
}

// ---- Answers ------------------------------------------------------------------------------------

Seen alive(const Task& task) {
  const bool waits =
      task.state == "PENDING" || task.state.starts_with("REQUEUE") || task.state == "SPECIAL_EXIT";
  std::string where = "slurm " + std::to_string(task.array) + "_" + std::to_string(task.index);
  if (!task.node.empty()) where += " on " + task.node;
  if (waits && task.reason != "None" && !task.reason.empty()) where += ", waits: " + task.reason;
  const bool limited =
      !waits && !task.left.empty() && task.left != "UNLIMITED" && task.left != "INVALID";
  if (limited) where += ", " + task.left + " left";
  return {waits ? Seen::Is::waiting : Seen::Is::running, {}, where};
}

// How an attempt ended that left no record. `task` is Slurm's last word, if it has one.
Ended ended_without_record(const Attempt& attempt, const Batch& batch, const Task* task) {
  const std::string id = batch.id ? std::to_string(*batch.id) : "?";
  const bool begun = processes_of(attempt.folder).started > 0;
  Ended ended;
  ended.how = begun ? End::lost : End::not_started;
  if (fs::exists(fs::path(attempt.folder) / kStop)) ended.how = End::stopped;
  if (!task) {
    if (ended.how != End::stopped)
      ended.reason = "Slurm does not know job " + id + " any more, and it left no record";
    return ended;
  }
  ended.host = task->node;
  ended.started = task->started;
  ended.ended = task->ended;
  ended.code = task->signal != 0 ? task->signal : task->exit_code;
  const std::string& state = task->state;
  if (state == "CANCELLED" || state == "DEADLINE") {
    ended.how = End::stopped;
  } else if (state == "TIMEOUT") {
    ended.how = End::time_limit;
  } else if (state == "OUT_OF_MEMORY") {
    ended.how = End::out_of_memory;
  } else if (state == "NODE_FAIL" || state == "BOOT_FAIL" || state == "PREEMPTED" ||
             state == "REVOKED") {
    // Not its fault, and Slurm did not queue it again: it is as if it had not been started.
    ended.how = End::not_started;
  } else if (ended.how != End::stopped) {
    ended.reason = "Slurm says " + state + " with exit code " + std::to_string(task->exit_code) +
                   ", but it left no record; see " + batch.file(".out").string();
  }
  return ended;
}

}  // namespace

// ---- Submitting ---------------------------------------------------------------------------------

namespace {

constexpr int kUsualArray = 1001;

// The number of tasks that an array may have; nothing if Slurm does not answer.
std::optional<int> array_size(Memory& m) {
  if (m.array_size) return m.array_size;
  const slurm::Outcome outcome = slurm::ask({"scontrol", "show", "config"});
  if (!outcome.ok()) return std::nullopt;
  const auto text = slurm::config_value(outcome.out, "MaxArraySize");
  const int size = text ? std::atoi(text->c_str()) : 1001;
  if (size < 1) {
    throw Error(
        ErrorKind::unsupported,
        "this cluster has no job arrays (MaxArraySize=0); ask its administrators to allow them");
  }
  return m.array_size = size;
}

enum class Sent { yes, later, smaller };

class Submitter {
 public:
  Submitter(const Slurm& slurm, Memory& m) : slurm_(slurm), m_(m) {
    runner_ = slurm.runner;
    if (runner_.empty()) runner_ = {fs::read_symlink("/proc/self/exe").string(), "__job"};
  }

  // How many of them Slurm has taken, from the first on.
  std::size_t operator()(std::span<const Attempt> attempts, std::size_t size) {
    slurm::Lanes lanes;
    std::vector<std::optional<std::int64_t>> last;
    const auto share = [&] {
      lanes = slurm::share_cap(slurm_.max_parallel,
                               static_cast<int>((attempts.size() + size - 1) / size));
      last.assign(static_cast<std::size_t>(std::max(lanes.lanes, 1)), std::nullopt);
    };
    share();
    std::size_t sent = 0, batches = 0;
    while (sent < attempts.size()) {
      const std::size_t lane = batches % last.size();
      const auto part = attempts.subspan(sent, std::min(size, attempts.size() - sent));
      std::optional<std::int64_t> id;
      const Sent result = send(part, lanes.caps[lane], last[lane], id);
      if (result == Sent::yes) {
        if (lanes.lanes > 0) last[lane] = id;
        sent += part.size();
        ++batches;
      } else if (result == Sent::smaller && part.size() > 1) {
        const bool told = m_.array_size && static_cast<std::size_t>(*m_.array_size) < part.size();
        size = told ? static_cast<std::size_t>(*m_.array_size) : (part.size() + 1) / 2;
        if (batches == 0) share();
      } else {
        m_.submitting.spent(std::chrono::seconds(60));
        return sent;
      }
    }
    m_.submitting.reset();
    return sent;
  }

 private:
  Sent send(std::span<const Attempt> attempts, int cap, std::optional<std::int64_t> after,
            std::optional<std::int64_t>& id) {
    Batch batch = slurm::write_batch(
        slurm::batches_folder(attempts.front()), attempts,
        {.setup = slurm_.setup, .requeues = slurm_.requeues, .container = slurm_.container});
    base::File(batch.file(".sh"), O_WRONLY | O_CREAT)
        .write(slurm::batch_script(runner_, batch.tasks()));
    int code = 0;
    {
      const base::File tasks(batch.tasks(), O_RDWR);
      try_lock(tasks.descriptor(), batch.tasks());
      code = slurm::run_to_files(
          slurm::sbatch_command(
              slurm_, {.batch = batch, .first = attempts.front(), .cap = cap, .after = after}),
          batch.file(".sh"), batch.file(".id"), batch.file(".err"), tasks.descriptor());
    }
    batch.read_answer();
    Sent result = Sent::yes;
    if (!batch.id && code != 0) {
      const std::string err = base::try_read_file(batch.file(".err")).value_or("");
      const Problem problem = slurm::problem_of(err);
      const bool too_many = !m_.array_size && err.find("Invalid job array") != err.npos;
      if (too_many) {
        result = array_size(m_) ? Sent::smaller : Sent::later;
      } else if (problem == Problem::refused) {
        batch.refuse(err);
      }
      if (problem == Problem::away) result = Sent::later;
      if (problem == Problem::limit) result = Sent::smaller;
    }
    if (result == Sent::yes) {
      id = batch.id;
      m_.learn(std::move(batch), true);
      m_.asking.reset();
    } else {
      batch.remove();
    }
    return result;
  }

  const Slurm& slurm_;
  Memory& m_;
  std::vector<std::string> runner_;
};

// Jobs that can be tasks of one array.
auto kind_of(const Attempt& attempt) {
  const Resources& r = attempt.what.resources;
  return std::tuple(slurm::batches_folder(attempt), attempt.job, r.cpus, r.memory, r.gpus,
                    r.replicas, r.seconds);
}

}  // namespace

std::vector<bool> Slurm::submit(std::span<const Attempt> attempts) const {
  Memory& m = memory();
  const std::lock_guard guard(m.mutex);
  std::vector<bool> out(attempts.size(), false);
  if (attempts.empty() || !m.submitting.allows()) return out;
  // Most clusters have Slurm's default; asking takes as long as submitting does.
  const auto size =
      attempts.size() <= kUsualArray && !m.array_size ? std::optional(kUsualArray) : array_size(m);
  if (!size) {
    m.submitting.spent(std::chrono::seconds(60));
    return out;
  }
  std::map<decltype(kind_of(attempts.front())), std::vector<std::size_t>> kinds;
  for (std::size_t i = 0; i < attempts.size(); ++i) kinds[kind_of(attempts[i])].push_back(i);
  Submitter send(*this, m);
  for (const auto& [kind, indices] : kinds) {
    std::vector<Attempt> alike;
    for (const std::size_t i : indices) alike.push_back(attempts[i]);
    const std::size_t taken = send(alike, static_cast<std::size_t>(*size));
    for (std::size_t i = 0; i < taken; ++i) out[indices[i]] = true;
    if (taken < indices.size()) break;
  }
  return out;
}

// ---- Polling ------------------------------------------------------------------------------------

namespace {

// Reads batches of earlier launchers; afterwards a token that no batch has was never submitted.
void find_batches(Memory& m, std::span<const Attempt> attempts) {
  std::set<fs::path> folders;
  for (const Attempt& attempt : attempts) {
    if (!m.attempts.contains(attempt.token)) folders.insert(slurm::batches_folder(attempt));
  }
  for (const fs::path& folder : folders) {
    std::map<std::string, Batch> known;
    for (auto& [token, each] : m.batches) {
      if (each.batch.folder == folder) known.emplace(token, Batch());
    }
    for (Batch& batch : slurm::read_batches(folder, known)) m.learn(std::move(batch), false);
  }
}

// Whether its id is known by now. `queue` may name it by its token.
bool find_id(Known& known, const Queue* queue) {
  Batch& batch = known.batch;
  if (batch.id) return true;
  if (!known.free && !is_locked(batch.tasks())) {
    known.free = true;
    known.since = Clock::now();
  }
  batch.read_answer();
  if (batch.id) known.since = Clock::now();
  if (!batch.id && queue) {
    const auto found = queue->ids.find(batch.token);
    if (found != queue->ids.end()) batch.id = found->second;
  }
  return batch.id.has_value();
}

void cancel_again(Memory& m) {
  std::erase_if(m.to_cancel, [](const auto& command) {
    const slurm::Outcome outcome = slurm::ask(command);
    return outcome.ok() || slurm::problem_of(outcome.err) == Problem::refused;
  });
}

}  // namespace

std::vector<Seen> Slurm::poll(std::span<const Attempt> attempts) const {
  Memory& m = memory();
  const std::lock_guard guard(m.mutex);
  std::vector<Seen> out(attempts.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    try {
      if (const auto ended = record_of(attempts[i])) {
        out[i] = {Seen::Is::ended, ended};
        m.gone.erase(attempts[i].token);
        continue;
      }
    } catch (const Error&) {  // half seen through the network: not an answer yet
      continue;
    }
    open.push_back(i);
  }
  if (open.empty()) return out;
  std::vector<Attempt> left;
  for (const std::size_t i : open) {
    if (!m.attempts.contains(attempts[i].token)) left.push_back(attempts[i]);
  }
  find_batches(m, left);
  // Before the question: a batch that is free now and not in the answer never came to be.
  for (const std::size_t i : open) {
    const auto found = m.attempts.find(attempts[i].token);
    if (found != m.attempts.end() && !m.batches[found->second.first].batch.id) {
      find_id(m.batches[found->second.first], nullptr);
    }
  }
  const bool asks = m.asking.allows();
  const Queue* queue = ask_queue(m, *this);
  if (queue && asks) cancel_again(m);

  std::vector<std::size_t> missing;
  for (const std::size_t i : open) {
    const auto found = m.attempts.find(attempts[i].token);
    if (found == m.attempts.end()) {  // it was decided on, but never came to a batch
      out[i] = {Seen::Is::ended, Ended{.how = End::not_started}};
      continue;
    }
    Known& known = m.batches[found->second.first];
    if (!known.batch.refused.empty()) {
      out[i] = {Seen::Is::ended, Ended{.how = End::not_started, .reason = known.batch.refused}};
      continue;
    }
    const bool identified = find_id(known, queue);
    if (!queue || queue->asked <= known.since) continue;  // no answer that could know of it
    if (!identified) {
      if (known.free) out[i] = {Seen::Is::ended, Ended{.how = End::not_started}};
      continue;
    }
    const auto task = queue->tasks.find({*known.batch.id, found->second.second});
    if (task != queue->tasks.end() && !slurm::is_over(task->second.state)) {
      out[i] = alive(task->second);
      m.gone.erase(attempts[i].token);
      continue;
    }
    // Its record may be on the way from another host.
    const auto since = m.gone.try_emplace(attempts[i].token, Clock::now()).first->second;
    out[i] = {Seen::Is::running, {}, "slurm " + std::to_string(*known.batch.id)};
    if (Clock::now() - since >= in_seconds(record_seconds)) missing.push_back(i);
  }
  if (missing.empty()) return out;

  std::set<std::int64_t> ids;
  for (const std::size_t i : missing)
    ids.insert(*m.batches[m.attempts[attempts[i].token].first].batch.id);
  Past past;
  try {
    ask_accounting(m, ids, past);
    std::set<std::int64_t> rest;
    for (const auto id : ids) {
      if (!past.contains(id)) rest.insert(id);
    }
    ask_controller(rest, past);
  } catch (const Error&) {  // not an answer
    return out;
  }
  for (const std::size_t i : missing) {
    const auto& [token, index] = m.attempts[attempts[i].token];
    const Batch& batch = m.batches[token].batch;
    const auto tasks = past.find(*batch.id);
    if (tasks == past.end()) {
      out[i] = {};
      continue;
    }
    auto task = tasks->second.find(index);
    if (task == tasks->second.end()) task = tasks->second.find(-1);
    const Task* last = task == tasks->second.end() ? nullptr : &task->second;
    if (last && !slurm::is_over(last->state)) {
      out[i] = alive(*last);
      m.gone.erase(attempts[i].token);
      continue;
    }
    out[i] = {Seen::Is::ended, ended_without_record(attempts[i], batch, last)};
    if (const auto ended = record_of(attempts[i])) out[i].ended = ended;
    m.gone.erase(attempts[i].token);
  }
  return out;
}

// ---- Stopping -----------------------------------------------------------------------------------

void Slurm::stop(std::span<const Attempt> attempts, Stop how) const {
  Memory& m = memory();
  const std::lock_guard guard(m.mutex);
  std::vector<Attempt> open;
  for (const Attempt& attempt : attempts) {
    if (!record_of(attempt)) open.push_back(attempt);
  }
  // First: whatever Slurm has yet to hear of, or never answers about, ends as soon as it starts.
  for (const Attempt& attempt : open) {
    fs::create_directories(attempt.folder);
    base::File(fs::path(attempt.folder) / kStop, O_WRONLY | O_CREAT)
        .write(how == Stop::now ? "now" : "");
  }
  find_batches(m, open);
  m.asking.reset();
  const Queue* queue = nullptr;
  std::map<std::int64_t, std::vector<int>> tasks;
  for (const Attempt& attempt : open) {
    const auto found = m.attempts.find(attempt.token);
    if (found == m.attempts.end()) continue;
    Known& known = m.batches[found->second.first];
    if (!find_id(known, nullptr)) {
      if (!queue) queue = ask_queue(m, *this);
      find_id(known, queue);
    }
    if (known.batch.id) tasks[*known.batch.id].push_back(found->second.second);
  }
  std::vector<std::string> names;
  for (auto& [id, indices] : tasks) {
    std::sort(indices.begin(), indices.end());
    names.push_back(std::to_string(id) + "_[" + slurm::ranges(indices) + "]");
  }
  if (names.empty()) return;
  const auto cancel = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"scancel", "--quiet"});
    options.insert(options.end(), names.begin(), names.end());
    m.to_cancel.push_back(std::move(options));
  };
  cancel({"--state=PENDING"});
  cancel({"--state=RUNNING", "--batch", "--signal=USR2"});
  if (how == Stop::now) cancel({});
  cancel_again(m);  // and in polls, while there is no answer
  m.asking.reset();
}

// ---- The rest -----------------------------------------------------------------------------------

void Slurm::wait(std::span<const Attempt> running, int wake) const {
  // Records are looked for more often than Slurm is asked, but not so that a file server notices.
  wait_for(wake, milliseconds(300) + milliseconds(running.size() / 5));
}

void Slurm::check(std::span<const PlannedJob> jobs) const {
  if (!container.empty() && !slurm::container_runtime()) {
    throw Error(ErrorKind::unsupported, std::string(slurm::kNoRuntime));
  }
  const slurm::Outcome outcome = slurm::ask(
      {"sinfo", "--noheader", "--exact", "--format=" + std::string(slurm::kNodesFormat)});
  if (!outcome.ok()) return;  // it is down, and waited for when something is submitted
  const auto all = slurm::parse_nodes(outcome.out);
  std::vector<slurm::Nodes> nodes;
  std::set<std::string> partitions;
  for (const slurm::Nodes& each : all) {
    partitions.insert(each.partition);
    if (partition.empty() || each.partition == partition) nodes.push_back(each);
  }
  // "a,b" lets Slurm choose.
  if (nodes.empty() && partition.find(',') == partition.npos) {
    throw Error(ErrorKind::value,
                "partition '" + partition + "': this cluster has none of that name, but " +
                    base::join(partitions, ", ") + "; name one of these in the settings");
  }
  for (const PlannedJob& job : jobs) {
    const Resources& r = job.resources;
    const bool fits =
        nodes.empty() || std::any_of(nodes.begin(), nodes.end(), [&](const slurm::Nodes& n) {
          return r.cpus <= n.cpus && r.memory <= n.memory && r.gpus <= n.gpus(gpu_type) &&
                 (n.seconds == 0 || r.seconds <= n.seconds);
        });
    if (fits) continue;
    throw Error(ErrorKind::value,
                "job '" + job.name + "': no node of " +
                    (partition.empty() ? "this cluster" : "partition '" + partition + "'") +
                    " has " + konfig::Value(r.cpus).repr() + " CPUs, " +
                    std::to_string(r.memory >> 20) + " MiB of memory and " +
                    std::to_string(r.gpus) + (gpu_type.empty() ? "" : " " + gpu_type) +
                    " GPUs for " + std::to_string(r.seconds) +
                    " s; lower its requirements, or choose another partition");
  }
}

bool has_slurm() { return slurm::is_configured(); }

}  // namespace kxm

KONFIG_LOCAL_COMPONENT(kxm::Executor, kxm::Slurm, "kauldron.kxm:Slurm");
KONFIG_IMPLEMENT(kxm::Executor, kxm::Slurm);
