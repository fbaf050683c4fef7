// What is given to sbatch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kxm/slurm.h"
#include "kxm/slurm/batch_impl.h"

namespace kxm::slurm {

// The command line for one batch: all its attempts ask for the same.
struct Submission {
  const Batch& batch;
  const Attempt& first;
  int cap = 0;                             // tasks at a time; 0: all
  std::optional<std::int64_t> after = {};  // an array that has to end first
};
std::vector<std::string> sbatch_command(const Slurm& slurm, const Submission& submission);

// The options for what a job takes of the cluster.
std::vector<std::string> resource_options(const Slurm& slurm, const Resources& resources);

// What Slurm starts on a node: it becomes the runner.
std::string batch_script(const std::vector<std::string>& runner,
                         const std::filesystem::path& tasks);

// What the runner starts: the job, by srun if it has several tasks, after the set-up lines.
std::vector<std::string> job_command(const PlannedJob& job, const std::vector<std::string>& setup);

// As a shell reads it back.
std::string shell_quoted(std::string_view text);

// How the tasks of many batches share a cap: `lanes` run side by side, batch i in lane i % lanes
// after batch i - lanes, with caps[i] tasks at a time.
struct Lanes {
  int lanes = 0;
  std::vector<int> caps = {};
};
Lanes share_cap(int cap, int batches);

// "3-5,9" of 3, 4, 5, 9: ascending.
std::string ranges(const std::vector<int>& indices);

}  // namespace kxm::slurm
