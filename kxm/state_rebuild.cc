// The database from the records beside the results.
#include <algorithm>
#include <map>

#include "base/durable.h"
#include "base/file.h"
#include "base/number_in.h"
#include "base/real_path.h"
#include "konfig/error.h"
#include "kxm/moved_impl.h"
#include "kxm/records_impl.h"
#include "kxm/state_impl.h"

namespace kxm {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

namespace {

bool has_records(const fs::path& home) {
  std::error_code error;
  return fs::exists(home / kHeading, error);
}

// A number names one experiment: it is moved, but never replaced by another.
void check_number(const State& state, const fs::path& home) {
  const int xid = read_heading(home).plan.xid;
  const auto known = state.experiment(xid);
  if (!known || !known->recorded || !has_records(known->home)) return;
  if (base::real_path(known->home) == home) return;
  throw Error(ErrorKind::value, home.string() + ": the number " + std::to_string(xid) +
                                    " belongs to '" + known->title + "' in " + known->home +
                                    " already; look at this one with a state "
                                    "of its own: `KD_STATE=FOLDER kd state rebuild " +
                                    home.parent_path().string() +
                                    "`, or remove the other: `kd rm " + std::to_string(xid) + "`");
}

constexpr const char* kLast = "last_xid";

int noted_last(const fs::path& state) {
  const std::string text = base::try_read_file(state / kLast).value_or("");
  return base::number_in<int>(std::string_view(text).substr(0, text.find('\n'))).value_or(0);
}

void link_home(const fs::path& state, int xid, const fs::path& home) {
  const fs::path link = state / "experiments" / std::to_string(xid);
  std::error_code error;
  if (link == home || fs::equivalent(link, home, error)) return;
  fs::remove(link, error);  // of a folder that was moved
  fs::create_directory_symlink(home, link, error);
}

}  // namespace

void note_last(const fs::path& state, int xid) {
  base::replace_file(state / kLast, std::to_string(xid) + "\n");
}

std::vector<std::pair<int, fs::path>> homes_in(const fs::path& state) {
  std::vector<std::pair<int, fs::path>> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(state / "experiments", error)) {
    const std::string name = entry.path().filename().string();
    const auto xid = base::number_in<int>(name);
    if (xid && *xid > 0) out.emplace_back(*xid, entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string missing_text(const ExperimentRow& experiment) {
  if (!experiment.recorded || has_records(experiment.home)) return "";
  return "the records of experiment " + std::to_string(experiment.xid) + " are not in " +
         experiment.home +
         "; if its folder was moved: `kd state rebuild FOLDER`, and if it was "
         "removed: `kd rm " +
         std::to_string(experiment.xid) + "`";
}

std::vector<std::pair<int, fs::path>> State::missing() const {
  std::vector<std::pair<int, fs::path>> out;
  for (auto& [xid, home] : homes_in(impl_->folder)) {
    std::error_code error;
    if (has_records(home)) continue;
    const fs::path to = fs::read_symlink(home, error);
    if (!error) out.emplace_back(xid, to);
  }
  return out;
}

// No number is given twice, also not that of an experiment whose records are gone.
void State::Impl::restore(bool writes) {
  int last = noted_last(folder);
  for (auto& [xid, home] : homes_in(folder)) {
    last = std::max(last, xid);
    if (!has_records(home)) continue;
    db->exec("SAVEPOINT one");
    try {
      if (writes) follow_move(base::real_path(home));
      rebuild(base::real_path(home));
    } catch (const std::exception&) {
      db->exec("ROLLBACK TO one");  // damaged records keep no other experiment away
    }
    db->exec("RELEASE one");
  }
  Query(*db, "DELETE FROM sqlite_sequence WHERE name = 'experiments'").run();
  Query(*db,
        "INSERT INTO sqlite_sequence SELECT 'experiments', max(?, ifnull(max(xid), 0)) FROM "
        "experiments")
      .run(last);
}

int State::rebuild(const std::vector<fs::path>& folders) {
  // What is added to a damaged database is lost again.
  if (Query check(*impl_->db, "PRAGMA quick_check(1)"); check.next() && check.text(0) != "ok") {
    throw Error(ErrorKind::value, (impl_->folder / "state.db").string() +
                                      ": is damaged; move it away, then run `kd state rebuild` "
                                      "again: all is in the records");
  }
  int found = 0;
  const auto add = [&](const fs::path& home) {
    if (!has_records(home)) return false;
    const fs::path real = base::real_path(home);
    check_number(*this, real);
    follow_move(real);
    Transaction all(*impl_->db);
    const int xid = impl_->rebuild(real);
    all.commit();
    link_home(impl_->folder, xid, real);
    ++found;
    return true;
  };
  for (const fs::path& folder : folders) {
    if (add(folder) || add(folder / kHome)) continue;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.is_directory(error)) add(entry.path()) || add(entry.path() / kHome);
    }
  }
  return found;
}

int State::Impl::rebuild(const fs::path& home) {
  Heading heading = read_heading(home);
  heading.home = home.string();
  const int xid = heading.plan.xid;
  for (const char* table : {"attempts", "jobs", "units"}) {
    Query(*db, "DELETE FROM " + std::string(table) + " WHERE xid = ?").run(xid);
  }
  insert_experiment(heading);
  const auto units = read_units(home);
  insert_units(xid, units);
  std::map<std::pair<int, int>, int> attempts;  // by unit and place of the job
  for (const Intent& intent : read_intents(home)) {
    const auto unit = std::ranges::lower_bound(units, intent.wid, {}, &PlannedUnit::wid);
    if (unit == units.end() || unit->wid != intent.wid) continue;
    const auto job = std::find_if(unit->jobs.begin(), unit->jobs.end(),
                                  [&](auto& j) { return j.name == intent.job; });
    if (job == unit->jobs.end()) continue;
    Attempt attempt;
    attempt.xid = xid;
    attempt.wid = intent.wid;
    attempt.job = intent.job;
    attempt.number = intent.number;
    attempt.token = intent.token;
    attempt.folder = intent.folder;
    add_attempt(attempt, intent.intended);
    // The last one decides. What lives, or cannot be asked now, is running.
    const Seen seen = look(intent.folder, heading.executor);
    JobState state = JobState::running;
    if (seen.is == Seen::Is::ended) {
      const Ended ended = judged(*seen.ended, job->role, unit->dir);
      end_attempt(attempt, ended);
      state = state_after(ended);
    }
    const int place = static_cast<int>(job - unit->jobs.begin());
    put_state(xid, intent.wid, place, state);
    attempts[{intent.wid, place}] = intent.number;
  }
  for (const Decision& decision : read_decisions(home)) {
    if (attempts[{decision.wid, decision.place}] != decision.attempts) continue;
    put_state(xid, decision.wid, decision.place, decision.state);
  }
  return xid;
}

}  // namespace kxm
