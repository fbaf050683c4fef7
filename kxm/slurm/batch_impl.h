// Batches: attempts that are submitted together, as one array. What is in a batch is written down
// before Slurm hears of it, and found again by the token in the comment of its jobs.
//
//  home/slurm/TOKEN.tasks      a line for the batch, then one for each task
//  home/slurm/TOKEN.answer     what sbatch printed: the number of the array, or its complaints
//  home/slurm/TOKEN.refused    why Slurm will never take it
//  home/slurm/TOKEN.out        what Slurm itself prints on the nodes, of all its tasks
//
// While sbatch runs it holds a lock of TOKEN.tasks, whatever happens to the launcher.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kxm/executor.h"

namespace kxm::slurm {

// The folder of an experiment's batches: attempts are in home/jobs/WID/JOB/NUMBER.
std::filesystem::path batches_folder(const Attempt& attempt);

// An array's part of a cap on how many tasks run at a time.
struct Lane {
  int width = 0;                           // tasks at a time; 0: all
  std::optional<std::int64_t> after = {};  // the array that has to end first
};

struct Batch {
  std::filesystem::path folder;
  std::string token;
  std::vector<std::string> attempts;  // their tokens: that of task 0 first
  std::string job = {};               // the name of all its jobs
  Lane lane = {};
  std::optional<std::int64_t> id = {};
  std::string refused = {};

  std::filesystem::path file(std::string_view ending) const {
    return folder / (token + std::string(ending));
  }
  std::filesystem::path tasks() const { return file(".tasks"); }
  void read_answer();  // id and refused, if they are known by now
  // Of one that sbatch is done with: its complaint says that Slurm never heard of it.
  bool never_sent() const;
  void refuse(std::string_view why);
  void remove() const;  // Slurm never heard of it
};

inline constexpr std::string_view kComment = "kxm:";  // of its jobs, before the token

// In the folder of a run, below its attempt's:
inline constexpr const char* kOver = "over";             // its time limit was near
inline constexpr const char* kTaken = "taken";           // Slurm asked it to end
inline constexpr const char* kRequeue = "requeue";       // it goes on in a further run
inline constexpr const char* kTakenOver = "taken_over";  // another start of the attempt is there
// Whether it was asked to end, by whom ever.
bool was_asked(const std::filesystem::path& run);
// How often Slurm had restarted the attempt when its last start began.
int restarts_of(const std::filesystem::path& attempt);
// The folder of a start of an attempt, from 1 on: Slurm may start it several times.
std::filesystem::path run_folder(const std::filesystem::path& attempt, int number);
// That of the last start; the attempt's own if there was none.
std::filesystem::path last_run(const std::filesystem::path& attempt);

// What a task needs beside its attempt.
struct TaskExtras {
  std::vector<std::string> setup = {};  // lines of bash before the job
  int requeues = 3;                     // at most so many, for time limits
};

// A new batch, with an empty file: nothing is in it yet.
Batch begin_batch(const std::filesystem::path& folder, std::span<const Attempt> attempts,
                  const Lane& lane = {});
// Writes what it is; nothing is submitted before.
void write_batch(const Batch& batch, std::span<const Attempt> attempts, const TaskExtras& extras);

// All batches of a folder, but for those with these tokens.
std::vector<Batch> read_batches(const std::filesystem::path& folder,
                                const std::set<std::string>& known);

// One task, as its node reads it. An Error if there is none of this index.
struct TaskToRun {
  Attempt attempt;
  TaskExtras extras;
};
TaskToRun read_task(const std::filesystem::path& tasks, int index);

// Writes it aside and renames it: a reader sees all of it or nothing.
void put(const std::filesystem::path& file, std::string_view text);

}  // namespace kxm::slurm
