// Questions to Slurm. A question without an answer says nothing about jobs: it is asked again,
// after pauses that grow.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kxm/slurm/memory_impl.h"

namespace kxm::slurm {

// All tasks of this user that Slurm knows, asked for at most every `often` seconds; nothing if
// there is no answer.
const Queue* ask_queue(Memory& m, double often,
                       std::chrono::seconds longest = std::chrono::seconds(60));

// What became of tasks that squeue does not show as alive, by the token of their batch and the
// index: from accounting where the cluster has it, else from the controller. A batch without an
// answer is missing; one that Slurm does not know any more is empty.
using Past = std::map<std::string, std::map<int, Task>>;
Past ask_past(Memory& m, const std::map<std::string, std::int64_t>& arrays);

// When the controller was started, in seconds since 1970: what it was told in the last seconds
// before, it may have forgotten. 0: it does not say; nothing if it does not answer.
std::optional<double> ask_boot_time();

// Has Slurm queue a task again that it takes for running, if it has restarted that only so often.
void requeue_if_restarts(const Task& task, int restarts);

// The number of tasks that an array may have; nothing if Slurm does not answer.
std::optional<int> ask_array_size(Memory& m);

}  // namespace kxm::slurm
