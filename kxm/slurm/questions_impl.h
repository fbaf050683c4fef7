// Questions to Slurm. A question without an answer says nothing about jobs: it is asked again,
// after pauses that grow.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "kxm/slurm/memory_impl.h"

namespace kxm::slurm {

// All tasks of this user that Slurm knows, asked for at most every `often` seconds; nothing if
// there is no answer.
const Queue* ask_queue(Memory& m, double often,
                       std::chrono::seconds longest = std::chrono::seconds(60));

// What became of tasks that squeue does not show as alive, by array and index: from accounting
// where the cluster has it, else from the controller. An array without an answer is missing; one
// that Slurm does not know any more is empty.
using Past = std::map<std::int64_t, std::map<int, Task>>;
Past ask_past(Memory& m, const std::set<std::int64_t>& arrays);

// The number of tasks that an array may have; nothing if Slurm does not answer.
std::optional<int> ask_array_size(Memory& m);

}  // namespace kxm::slurm
