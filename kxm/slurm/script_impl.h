// What is given to sbatch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kxm/slurm.h"
#include "kxm/slurm/batch_impl.h"

namespace kxm::slurm {

// The command line for one batch: all its attempts ask for what the first asks for.
std::vector<std::string> sbatch_command(const Slurm& slurm, const Batch& batch,
                                        const Attempt& first);

// Where a job runs: the place it names, else what the executor says. An Error if there is no such
// place.
Place place_of(const Slurm& slurm, const Resources& resources);
// What this cluster calls the GPUs that a job asks for; "": any.
std::string gpu_type(const Slurm& slurm, const Resources& resources);

// The options for what a job takes of the cluster.
std::vector<std::string> resource_options(const Slurm& slurm, const Resources& resources);

// What Slurm starts on a node: it becomes the runner.
std::string batch_script(const std::vector<std::string>& runner,
                         const std::filesystem::path& tasks);

// What the runner starts: the job, by srun if it has several tasks, after the set-up lines. With
// several tasks SIGUSR1 asks it to end, else SIGTERM, and the file `first_failure` gets the exit
// code of the first that fails.
std::vector<std::string> job_command(const PlannedJob& job, const std::vector<std::string>& setup,
                                     const std::string& first_failure);

// "3-5,9" of 3, 4, 5, 9: ascending.
std::string ranges(const std::vector<int>& indices);

}  // namespace kxm::slurm
