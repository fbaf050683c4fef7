// The database behind State, and what a launcher changes in it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

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
  int attempts = 0;  // so far
};

class State::Impl {
 public:
  std::filesystem::path folder;
  std::unique_ptr<Connection> db;  // nothing: a state that is not there

  // ---- Written by the launcher that holds the experiment's lock, inside its transaction ----
  void add_attempt(const Attempt& attempt);
  void set_where(const Attempt& attempt, std::string_view where);
  void end_attempt(const Attempt& attempt, const Ended& ended);
  void set_state(int xid, int wid, int place, JobState state);

  // By unit, in the order of the plan; of units after `wid`.
  std::vector<OpenJob> jobs(int xid, int wid = 0) const;
  PlannedJob job(int xid, int wid, int place) const;
  std::string unit_dir(int xid, int wid) const;
  std::vector<AttemptRow> attempts(int xid, int wid, std::string_view job) const;

  void insert_experiment(const Plan& heading, const std::string& heading_json,
                         const std::filesystem::path& home, std::string_view executor,
                         std::string_view host, double created);
  void insert_units(int xid, std::span<const PlannedUnit> units);
  int rebuild(const std::filesystem::path& home);
};

// What the end of an attempt means for its job: exit 0 is not enough for a training.
Ended judged(Ended ended, Role role, const std::string& unit_dir);
JobState state_after(const Ended& judged);

}  // namespace kxm
