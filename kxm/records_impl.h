// The records beside the results: an experiment's home.
//
//  experiment.json           what it is
//  units-1.json              its units; a later launch adds units-11.json
//  decisions.txt             what its launchers decided: which jobs are stopped or skipped
//  lock                      held by the launcher that runs it
//  requests/                 what others ask of that launcher
//  store/                    files kept by content
//  intents/TOKEN.json        attempts that are about to be submitted together, a line for each
//  jobs/3/train/1/           the first attempt of the job `train` of unit 3:
//  - intent.json             it is about to be started
//  - lock                    held by the job; who runs it
//  - log.txt                 what it prints
//  - stop                    it was asked to stop
//  - ended.json              how it ended
//
// Each of them appears whole, by a rename; only decisions.txt grows by lines. From these a lost
// database is built again.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "kxm/executor.h"
#include "kxm/plan_json_impl.h"
#include "kxm/state.h"

namespace kxm {

inline constexpr const char* kHome = ".kxm";  // in the experiment's folder
inline constexpr const char* kHeading = "experiment.json";
inline constexpr const char* kLog = "log.txt";
inline constexpr const char* kEnded = "ended.json";
inline constexpr const char* kReserved = ".ended";  // becomes ended.json: a full disk loses nothing
inline constexpr const char* kStop = "stop";
inline constexpr const char* kLock = "lock";
inline constexpr const char* kIntent = "intent.json";
inline constexpr const char* kAdding = "adding.lock";  // held while units are recorded
inline constexpr const char* kIntents = "intents";

// With those above it; a FileError if that is not possible.
void make_folders(const std::filesystem::path& folder);

// ---- An experiment ----
void write_heading(const std::filesystem::path& home, const Heading& heading);
// Units, and for a new experiment its heading, which is last: without it nothing counts. `beside`
// are further files, by their names.
void write_units(const std::filesystem::path& home, std::span<const PlannedUnit> units,
                 const Heading* heading = nullptr,
                 const std::map<std::string, std::string>& beside = {});
Heading read_heading(const std::filesystem::path& home);
std::vector<PlannedUnit> read_units(const std::filesystem::path& home);
// The files that hold them, by their first units.
std::vector<std::filesystem::path> unit_files(const std::filesystem::path& home);

// ---- Decisions ----
// A state of a job that does not follow from its attempts: stopped before it began, not needed any
// more, to be run again.
struct Decision {
  int wid = 0;
  int place = 0;     // of the job in its unit
  int attempts = 0;  // when it was decided: a later attempt counts more
  JobState state = JobState::waiting;
};
// A writer for each launcher: it holds the experiment's lock.
class Decisions {
 public:
  explicit Decisions(const std::filesystem::path& home);
  void add(const Decision& decision) const;

 private:
  base::File file_;
};
std::vector<Decision> read_decisions(const std::filesystem::path& home);

// ---- Attempts ----
// What the folder of a job is called: whatever could mean something else is written as %2f.
std::string folder_name(std::string_view job);
std::filesystem::path attempt_folder(const std::filesystem::path& home, int wid,
                                     std::string_view job, int number);
// Notes that attempts are about to be started: each in its folder, which is made, or, where their
// folders are made when and where they start, all in one file. `when`: seconds since 1970.
void write_intents(const std::filesystem::path& home, std::span<const Attempt> attempts,
                   std::string_view executor, double when);
// What is known of an attempt from its folder alone.
struct Intent {
  int wid = 0;
  std::string job;
  int number = 0;
  std::string token;
  double intended = 0;
  std::string folder;
};
std::vector<Intent> read_intents(const std::filesystem::path& home);
// Those of attempts that were submitted together.
std::vector<Intent> read_shared_intents(const std::filesystem::path& home);
std::string read_token(const std::filesystem::path& attempt);  // "" if it cannot be read

// How an attempt is, by its lock and ended.json. `unknown` if they cannot be read. Of one that
// lives no more and left no word: stopped if it was asked to, else lost, or not_started without a
// reason if it never began.
Seen look(const std::filesystem::path& attempt);
// The same by ended.json alone, else `unknown`: of an executor with a queue of its own, where a job
// without a lock may wait, or live on another host.
Seen look_at_record(const std::filesystem::path& attempt);
// By the one or the other, as the experiment's executor asks for.
Seen look(const std::filesystem::path& attempt, std::string_view executor);
// Notes how an attempt ended that cannot do so itself. False if it lives: then it has not ended.
bool seal(const std::filesystem::path& attempt, const Ended& ended);

std::string ended_json(const Ended& ended);
Ended ended_from_json(std::string_view text);

// The processes of an attempt that lives, from its lock; 0: unknown.
struct Processes {
  int supervisor = 0;
  int job = 0;  // and its group
  double started = 0;
  std::string host = {};
};
Processes processes_of(const std::filesystem::path& attempt);

}  // namespace kxm
