// What Slurm's programs print, read in the forms that are made for programs. Texts that do not have
// the form are Errors, never half an answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kxm::slurm {

// One task of an array. Index -1: a job without tasks, or what is left of an array that was
// cancelled before its tasks got numbers.
struct Task {
  std::int64_t array = 0;  // the number that sbatch printed
  int index = -1;
  std::string state;        // "PENDING", "RUNNING", "NODE_FAIL", ...
  std::string reason = {};  // why it waits: "Resources"
  std::string node = {};
  std::string left = {};  // of its time limit: "1:30:00"
  std::string comment = {};
  int restarts = 0;   // scontrol only: how often it was queued again
  int exit_code = 0;  // sacct and scontrol, once it has ended
  int signal = 0;
  double started = 0, ended = 0;  // sacct and scontrol: seconds since 1970; 0: unknown

  bool operator==(const Task&) const = default;
};

// The options that give the forms below.
inline constexpr std::string_view kQueueFormat = "%A|%F|%K|%T|%L|%r|%N|%k";
inline constexpr std::string_view kAccountFormat =
    "JobID,State,ExitCode,NodeList,Start,End,Comment";
inline constexpr std::string_view kNodesFormat = "%R|%c|%m|%G|%l|%D|%T";

// squeue --noheader --array --states=all --format=kQueueFormat
std::vector<Task> parse_queue(std::string_view text);
// sacct --noheader --parsable2 --allocations --format=kAccountFormat, with SLURM_TIME_FORMAT=%s
std::vector<Task> parse_accounts(std::string_view text);
// scontrol --oneliner show job ID
std::vector<Task> parse_jobs(std::string_view text);

// Nodes that are alike, in one partition.
struct Nodes {
  std::string partition;
  int cpus = 0;
  std::int64_t memory = 0;   // bytes
  std::string gres;          // "gpu:a100:4(S:0-1),shard:8"
  std::int64_t seconds = 0;  // the partition's time limit; 0: none
  int count = 0;
  std::string state;  // "idle", "drained", "down*"

  int gpus(std::string_view type = {}) const;  // of each node; of this type
};
// sinfo --noheader --exact --format=kNodesFormat
std::vector<Nodes> parse_nodes(std::string_view text);

// A value of `scontrol show config`; nothing if the name is not there.
std::optional<std::string> config_value(std::string_view text, std::string_view name);

// The number that `sbatch --parsable` prints, also after warnings: a line "123" or "123;cluster".
std::optional<std::int64_t> parse_submitted(std::string_view text);

// The indices of "0-4%2", "1,3,5-7" or "0-10:5"; an Error for more than `longest`.
std::vector<int> parse_indices(std::string_view text, std::size_t longest = 1 << 22);

// "90" minutes, "1:30:00", "2-12:00:00" in seconds; 0 for UNLIMITED and what is not a time.
std::int64_t parse_duration(std::string_view text);

// Whether a task in this state may still run; an unknown state may.
bool is_over(std::string_view state);

}  // namespace kxm::slurm
