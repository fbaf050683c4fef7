// Questions to Slurm.
#include "kxm/slurm/questions_impl.h"

#include <unistd.h>

#include <cstdlib>

#include "base/join.h"
#include "konfig/error.h"
#include "kxm/slurm/commands_impl.h"

namespace kxm::slurm {

using konfig::Error;
using konfig::ErrorKind;

namespace {

constexpr auto kLongestPause = std::chrono::seconds(60);

void ask_accounting(Memory& m, const std::set<std::int64_t>& arrays, Past& past) {
  if (m.accounting == false || arrays.empty()) return;
  const Outcome outcome =
      ask({"sacct", "--noheader", "--parsable2", "--allocations",
           "--jobs=" + base::join(arrays, ","), "--format=" + std::string(kAccountFormat)});
  if (!outcome.ok()) {
    if (outcome.err.find("accounting storage is disabled") != std::string::npos) {
      m.accounting = false;
    }
    return;
  }
  m.accounting = true;
  for (Task& task : parse_accounts(outcome.out)) past[task.array][task.index] = std::move(task);
}

void ask_controller(const std::set<std::int64_t>& arrays, Past& past) {
  for (const auto id : arrays) {
    const Outcome outcome = ask({"scontrol", "--oneliner", "show", "job", std::to_string(id)});
    if (!outcome.ok()) {
      if (says_unknown_job(outcome.err + outcome.out)) past[id];
      continue;
    }
    auto& tasks = past[id];
    for (Task& task : parse_jobs(outcome.out)) tasks.try_emplace(task.index, std::move(task));
  }
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
        queue.ids[task.comment.substr(kComment.size())] = task.array;
        queue.tasks[{task.array, task.index}] = std::move(task);
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

Past ask_past(Memory& m, const std::set<std::int64_t>& arrays) {
  Past past;
  ask_accounting(m, arrays, past);
  std::set<std::int64_t> rest;
  for (const auto id : arrays) {
    if (!past.contains(id)) rest.insert(id);
  }
  ask_controller(rest, past);
  return past;
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
