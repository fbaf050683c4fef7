// The executor of a Slurm cluster: the same experiment, with nothing changed in its config.
//
// Jobs of one name become an array, in parts below MaxArraySize. On its node each task runs under
// a supervisor that notes how it ended beside the results, so that clusters without accounting work
// and a controller that is down is only waited for. Before its time limit a job gets SIGTERM, may
// save, and its task is queued again; preempted ones and those of a failed node are, too.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "konfig/component.h"
#include "konfig/map.h"
#include "kxm/executor.h"
#include "kxm/settings.h"

namespace kxm {

struct Slurm {
  std::string partition = {};             // default: the cluster's
  std::string account = {};               // default: the user's
  std::string qos = {};                   // default: the account's
  std::vector<std::string> setup = {};    // lines of bash before each job, on its node
  std::vector<std::string> options = {};  // further options of sbatch: "--constraint=ib"
  konfig::Map<Place> places = {};         // where jobs with a `cell` run: those of launch.yaml
  // What the cluster calls GPUs: {"a100": "a100_80gb"}; "": it has no types. Default: as we do.
  konfig::Map<std::string> gpu_types = {};
  int max_parallel = 0;         // jobs of one name at a time; 0: no limit
  double signal_seconds = 120;  // how long before its time limit a job is asked to save
  int requeues = 3;             // how often a job may go on after its time limit
  double poll_seconds = 15;     // how often Slurm is asked, at most
  double record_seconds = 5;    // how long a node's file may take to be seen here
  // What starts a task on its node, with a file and a number behind; default: this program,
  // `__job`.
  std::vector<std::string> runner = {};

  void attend(const Attendant& attendant) const;
  void check(std::span<const PlannedJob> jobs) const;
  bool accepts() const;
  std::vector<bool> submit(std::span<const Attempt> attempts) const;
  std::vector<Seen> poll(std::span<const Attempt> attempts) const;
  void stop(std::span<const Attempt> attempts, Stop how) const;
  void wait(std::span<const Attempt> running, int wake) const;
};

// Whether Slurm's programs are here and have a configuration. Its controller may be down.
bool has_slurm();

// What Slurm says of attempts that have left no record.
struct QueueLook {
  std::vector<Seen> seen;    // in their order; unknown without an answer
  std::string trouble = {};  // why there is none; "": there is one
};
// One question about all of them, answered within a few seconds or not at all. They need a token
// and a folder.
QueueLook look_on_slurm(std::span<const Attempt> attempts);

// The starts of the attempt of this folder that Slurm took back before it started it again.
std::vector<Round> earlier_rounds_on_slurm(const std::string& attempt_folder);
// The last one; nothing if it was never started.
std::optional<Round> last_round_on_slurm(const std::string& attempt_folder);

// Runs one task on its node: `__job FILE INDEX`. Returns the exit code of the job.
int run_slurm_task(const std::vector<std::string>& args);

}  // namespace kxm

KONFIG_COMPONENT(kxm::Executor, kxm::Slurm, "kauldron.kxm:Slurm");
