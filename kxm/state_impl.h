// The database behind State, and what a launcher changes in it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kxm/address.h"
#include "kxm/records_impl.h"
#include "kxm/sqlite_impl.h"
#include "kxm/state.h"

namespace kxm {

// What a scheduler needs of a job that is not done; its arguments are read when it starts.
struct OpenJob {
  int wid = 0;
  int place = 0;  // in its unit
  std::string name;
  Role role = Role::program;
  JobState state = JobState::waiting;
  Resources resources;
  std::vector<std::string> after;
  std::string secrets;  // their names, packed
  int attempts = 0;     // so far
};

class State::Impl {
 public:
  std::filesystem::path folder;
  std::unique_ptr<Connection> db;  // nothing: a state that is not there

  // ---- Written by the launcher that holds the experiment's lock, inside its transaction ----
  void add_attempt(const Attempt& attempt, double intended = 0);  // 0: now
  void set_where(const Attempt& attempt, std::string_view where);
  void end_attempt(const Attempt& attempt, const Ended& ended);
  // What was decided, or does not follow from attempts, is noted beside the results first.
  void set_state(int xid, int wid, int place, JobState state, bool decided = false);

  // By unit, in the order of the plan; of units after `wid`.
  std::vector<OpenJob> jobs(int xid, int wid = 0) const;
  PlannedJob job(int xid, int wid, int place) const;
  std::string unit_dir(int xid, int wid) const;
  // Of all units that have one, with their addresses; of an experiment alone if it is given.
  std::vector<std::pair<std::string, Address>> unit_dirs(int xid = 0) const;
  std::vector<AttemptRow> attempts(int xid, int wid, std::string_view job) const;
  std::map<int, int> failures(int xid) const;  // attempts that failed, by unit; without: none

  void insert_experiment(const Heading& heading);
  void set_limits(const std::filesystem::path& home, const Plan& plan);
  void insert_units(int xid, std::span<const PlannedUnit> units);

  // ---- From the records ----
  // All experiments, as if nothing had been lost; those that cannot be read are left out. With
  // `writes` the records of a folder that was moved are brought up to date.
  void restore(bool writes);
  int rebuild(const std::filesystem::path& home);  // one of them: its number

 private:
  void record_decision(int xid, Decision decision);
  void put_state(int xid, int wid, int place, JobState state);

  std::unique_ptr<Decisions> decisions_;
  int decisions_xid_ = 0;  // whose they are
};

// The highest number that was given, where no experiment keeps it: a database that is built again
// begins behind it.
void note_last(const std::filesystem::path& state, int xid);

// An Error if this place for the records of a new experiment has those of another one.
void check_new_home(const State& state, const std::filesystem::path& home);

// Homes of all experiments of a state, by their numbers: folders, or links to them.
std::vector<std::pair<int, std::filesystem::path>> homes_in(const std::filesystem::path& state);

}  // namespace kxm
