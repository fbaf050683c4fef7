// What was launched, and how it is: experiments, units, jobs and attempts in a small database.
//
//   State state(state_folder());
//   plan.xid = state.reserve();
//   state.record(plan);
//   for (const UnitRow& unit : state.units(plan.xid)) std::cout << unit.wid << "\n";
//
// The database is a copy: every experiment has a folder of records, its home, from which a lost
// one is built again. Jobs and their supervisors write there and never open the database, and only
// the launcher that holds the experiment's lock changes what is known of it.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kxm/executor.h"
#include "kxm/plan.h"

namespace kxm {

// $KD_STATE, else $XDG_STATE_HOME/kauldron, else ~/.local/state/kauldron.
std::filesystem::path state_folder();

// Where an experiment keeps its records: `<dir>/.kxm`, or below the state's folder. Its kept files
// are a Snapshot (kxm/keep.h) in the folder `store` of it.
std::filesystem::path home_of(const Plan& plan, const std::filesystem::path& state);
inline constexpr const char* kStore = "store";

// Of a job, and of a unit: a unit has the last of its jobs' states in this order.
enum class JobState {
  finished,
  skipped,  // what it waited for failed: it was not needed any more
  stopped,  // on request; `resume` goes on with it
  failed,   // for good: no retry is left
  waiting,  // not started yet
  running,
};
inline constexpr int kJobStates = 6;
std::string_view to_string(JobState state);  // "finished", ...
std::optional<JobState> state_of(std::string_view name);
std::string_view to_string(End how);  // "exit_code", ...
// "exit code 3", "killed by SIGSEGV", "out of memory: ...": how an attempt ended, for people.
std::string why(const Ended& ended);
// What the end of an attempt means for its job: exit 0 is not enough for a training.
Ended judged(Ended ended, Role role, const std::string& unit_dir);
JobState state_after(const Ended& judged);  // waiting if it never began

// How many are in each state.
struct Counts {
  std::array<int, kJobStates> of = {};

  int operator[](JobState state) const { return of[static_cast<std::size_t>(state)]; }
  int& operator[](JobState state) { return of[static_cast<std::size_t>(state)]; }
  int total() const;
  bool operator==(const Counts&) const = default;
};

struct ExperimentRow {
  int xid = 0;
  std::string title, author, note;
  std::vector<std::string> tags;
  std::string dir;       // the experiment's folder; "" when there is none
  std::string home;      // its records
  std::string cwd;       // where its jobs start
  std::string host;      // where it was launched
  std::string executor;  // "local"
  double created = 0;    // seconds since 1970
  Counts units;
  bool recorded = false;  // false: only its number was reserved, the launch never came further
};

struct AttemptRow {
  int number = 1;
  std::string token, folder;
  std::string where;                // "pid 4711"; "" when it is not known to run
  double intended = 0;              // when the decision to start it was recorded
  double begun = 0;                 // of one that has not ended: since when it runs; 0: it waits
  int requeues = 0;                 // how often a cluster took it back and started it again
  std::vector<Round> rounds = {};   // those before the last start
  std::optional<Ended> ended = {};  // nothing while it waits or runs
};

struct JobRow {
  int wid = 0;
  PlannedJob what;
  JobState state = JobState::waiting;
  std::vector<AttemptRow> attempts = {};  // the oldest first
  // The process that trains in the unit's folder without a launcher, as `kd resume FOLDER` does:
  // the job counts as running.
  std::optional<int> trainer = {};

  std::string why() const;  // how the last attempt ended, or who trains; "" if it has not
};

struct UnitRow {
  int wid = 0;
  std::string identity;
  konfig::Dict args;
  std::string dir;
  JobState state = JobState::waiting;
  std::vector<JobRow> jobs;
};

// "", or, when the records of an experiment are not where they were, that and what to do about it.
std::string missing_text(const ExperimentRow& experiment);

// Which units a question is about; nothing given: all of them.
struct UnitFilter {
  std::vector<int> wids = {};
  std::vector<JobState> states = {};
  int limit = 0;  // at most so many; 0: all
};

class State {
 public:
  enum class Open {
    read,   // never writes; a state that is not there is empty
    write,  // makes what is missing, and builds a lost database again from the records
  };
  // An Error if the database was written by another version; it names the command that upgrades.
  explicit State(const std::filesystem::path& folder, Open open = Open::write);
  ~State();
  State(State&&) noexcept;

  const std::filesystem::path& folder() const;

  // ---- A launch ----
  int reserve(int least = 1);  // a new experiment's number; never given twice
  int next_xid() const;        // what reserve() would give now
  // The experiment of plan.xid with its units, or, if it is there, these further units, with
  // consecutive ids. Its home, with copies of plan.files and the records, comes first; `beside` are
  // further files of it, by their names.
  void record(const Plan& plan, std::string_view executor = "local",
              const std::map<std::string, std::string>& beside = {});
  // The wid and the identity number for the next unit of an experiment: 1 for a new one.
  int next_wid(int xid) const;

  // ---- Reading: jobs that ended since are seen as such, and nothing is changed ----
  std::vector<ExperimentRow> experiments(int limit = 0) const;  // the newest first
  std::optional<ExperimentRow> experiment(int xid) const;
  Counts count_units(int xid) const;
  std::vector<UnitRow> units(int xid, const UnitFilter& filter = {}) const;
  UnitRow unit(int xid, int wid) const;  // an Error, with those there are, if it is none
  Plan plan(int xid) const;              // without its units

  // ---- Maintenance ----
  void note(int xid, std::string_view title, std::string_view note,
            const std::vector<std::string>& tags);
  void remove(int xid);  // the record in the database and its home, not the results
  // Adds experiments from their homes, or from folders that hold a `.kxm`; the number found. The
  // records of a folder that was moved learn its new place. An Error for a number that another
  // experiment has.
  int rebuild(const std::vector<std::filesystem::path>& folders);
  // Experiments whose records are not where they were, with that place.
  std::vector<std::pair<int, std::filesystem::path>> missing() const;
  // Opens the database anew if its file was removed meanwhile: all that a launcher wrote is in the
  // records of its experiment.
  void follow(const ExperimentRow& experiment);
  // Brings a database of an older version to this one.
  static void upgrade(const std::filesystem::path& folder);

  class Impl;
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace kxm
