// Questions to Slurm.
#include "kxm/slurm/questions_impl.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/join.h"
#include "base/number_in.h"
#include "konfig/error.h"
#include "kxm/slurm/commands_impl.h"

namespace kxm::slurm {

using konfig::Error;
using konfig::ErrorKind;

namespace {

constexpr auto kLongestPause = std::chrono::seconds(60);

using Arrays = std::map<std::string, std::int64_t>;  // by the tokens of their batches

// Numbers are given again by a controller that was killed; not every cluster keeps comments.
bool is_of(const Task& task, const std::string& token) {
  return !task.comment.starts_with(kComment) || task.comment.substr(kComment.size()) == token;
}

void ask_accounting(Memory& m, const Arrays& arrays, Past& past) {
  if (m.accounting == false || arrays.empty()) return;
  std::set<std::int64_t> ids;
  for (const auto& [token, id] : arrays) ids.insert(id);
  const Outcome outcome =
      ask({"sacct", "--noheader", "--parsable2", "--allocations", "--jobs=" + base::join(ids, ","),
           "--format=" + std::string(kAccountFormat)});
  if (!outcome.ok()) {
    if (outcome.err.find("accounting storage is disabled") != std::string::npos) {
      m.accounting = false;
    }
    return;
  }
  m.accounting = true;
  const std::vector<Task> tasks = parse_accounts(outcome.out);
  for (const auto& [token, id] : arrays) {
    for (const Task& task : tasks) {
      if (task.array == id && is_of(task, token)) past[token][task.index] = task;
    }
  }
}

// What the accounts take for alive is so only if the controller says that, too.
void ask_controller(const Arrays& arrays, Past& past) {
  for (const auto& [token, id] : arrays) {
    const Outcome outcome = ask({"scontrol", "--oneliner", "show", "job", std::to_string(id)});
    if (!outcome.ok() && !says_unknown_job(outcome.err + outcome.out)) continue;
    auto& tasks = past[token];
    std::erase_if(tasks, [](const auto& task) { return !is_over(task.second.state); });
    if (!outcome.ok()) continue;
    for (Task& task : parse_jobs(outcome.out)) {
      if (is_of(task, token)) tasks.try_emplace(task.index, std::move(task));
    }
  }
}

bool has_open(const std::map<int, Task>& tasks) {
  return std::ranges::any_of(tasks, [](const auto& task) { return !is_over(task.second.state); });
}

}  // namespace

const Queue* ask_queue(Memory& m, double often, std::chrono::seconds longest) {
  if (!m.asking.allows()) return m.failing || !m.queue ? nullptr : &*m.queue;
  Queue queue = {.asked = Clock::now()};
  m.failing = true;
  std::string why = "its answer cannot be read";
  try {
    const Outcome outcome =
        ask({"squeue", "--noheader", "--array", "--states=all",
             "--user=" + std::to_string(::getuid()), "--format=" + std::string(kQueueFormat)},
            longest);
    if (outcome.interrupted) {
      m.asking.reset();
      return nullptr;
    }
    why = reason_in(outcome.err);
    if (outcome.ok()) {
      for (Task& task : parse_queue(outcome.out)) {
        if (!task.comment.starts_with(kComment)) continue;
        std::string token = task.comment.substr(kComment.size());
        queue.tasks[{std::move(token), task.index}] = std::move(task);
      }
      m.failing = false;
    }
  } catch (const Error&) {  // not an answer
  }
  if (m.failing) {
    m.tell_silence(why);
    m.asking.spent(kLongestPause);
    return nullptr;
  }
  m.tell_silence("");
  m.queue = std::move(queue);
  m.asking.spent(in_seconds(often));
  return &*m.queue;
}

Past ask_past(Memory& m, const Arrays& arrays) {
  Past past;
  ask_accounting(m, arrays, past);
  Arrays rest = arrays;
  std::erase_if(rest, [&](const auto& array) {
    const auto found = past.find(array.first);
    return found != past.end() && !has_open(found->second);
  });
  ask_controller(rest, past);
  return past;
}

std::optional<double> ask_boot_time() {
  const Outcome outcome = ask({"scontrol", "show", "config"});
  if (!outcome.ok()) return std::nullopt;
  return base::number_in<double>(config_value(outcome.out, "BOOT_TIME").value_or("")).value_or(0);
}

void requeue_if_restarts(const Task& task, int restarts) {
  const std::string name = std::to_string(task.array) + "_" + std::to_string(task.index);
  const Outcome outcome = ask({"scontrol", "--oneliner", "show", "job", name});
  if (!outcome.ok()) return;
  for (const Task& now : parse_jobs(outcome.out)) {
    const bool same = now.index == task.index && is_of(now, task.comment.substr(kComment.size()));
    if (!same || now.state != "RUNNING" || now.restarts != restarts) continue;
    ask({"scontrol", "requeue", name});
  }
}

std::optional<int> ask_array_size(Memory& m) {
  if (m.array_size) return m.array_size;
  const Outcome outcome = ask({"scontrol", "show", "config"});
  if (!outcome.ok()) {
    if (!outcome.interrupted) m.tell_silence(reason_in(outcome.err));
    return std::nullopt;
  }
  const auto text = config_value(outcome.out, "MaxArraySize");
  const int size = text ? std::atoi(text->c_str()) : kUsualArray;
  if (size < 1) {
    throw Error(
        ErrorKind::unsupported,
        "this cluster has no job arrays (MaxArraySize=0); ask its administrators to allow them");
  }
  return m.array_size = size;
}

}  // namespace kxm::slurm
