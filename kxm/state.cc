// The database: where it is, its tables, and what launches write into it.
#include "kxm/state.h"

#include <sys/statfs.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "base/durable.h"
#include "base/file.h"
#include "base/number_in.h"
#include "konfig/error.h"
#include "konfig/json.h"
#include "kxm/check_impl.h"
#include "kxm/keep.h"
#include "kxm/live_jobs.h"
#include "kxm/lock_impl.h"
#include "kxm/records_impl.h"
#include "kxm/state_impl.h"
#include "kxm/text_impl.h"

namespace kxm {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

namespace {

constexpr const char* kFile = "state.db";
constexpr int kVersion = 2;

// Lists are packed (kxm/text_impl.h). A unit's state is the highest of its jobs': it is kept beside
// them, so that a hundred thousand units are counted by an index alone.
constexpr const char* kTables = R"(
CREATE TABLE experiments (
  xid INTEGER PRIMARY KEY AUTOINCREMENT, title, author, note, tags, dir, home, cwd, host, executor,
  created REAL, recorded INTEGER NOT NULL DEFAULT 0, heading);
CREATE TABLE units (
  xid INTEGER, wid INTEGER, state INTEGER, identity, dir, args,
  PRIMARY KEY (xid, wid)) WITHOUT ROWID;
CREATE INDEX unit_state ON units (xid, state);
CREATE UNIQUE INDEX unit_identity ON units (xid, identity) WHERE length(identity) > 0;
CREATE TABLE jobs (
  xid INTEGER, wid INTEGER, place INTEGER, name, role INTEGER, state INTEGER, argv, env, secrets,
  after, cpus REAL, memory INTEGER, gpus INTEGER, gpu_type, replicas INTEGER, seconds INTEGER,
  location, container, PRIMARY KEY (xid, wid, place)) WITHOUT ROWID;
CREATE TABLE attempts (
  xid INTEGER, wid INTEGER, job, number INTEGER, token, folder, place, intended REAL,
  how INTEGER, code INTEGER, host, started REAL, ended REAL, reason, cpu_seconds REAL,
  peak_memory INTEGER, PRIMARY KEY (xid, wid, job, number)) WITHOUT ROWID;
)";

// Several processes share the log of WAL through memory, which network file systems lack: only
// these are known to be local.
bool is_local(const fs::path& folder) {
  struct statfs system;
  if (::statfs(folder.c_str(), &system) != 0) return false;
  for (const long long type : {0xEF53ll, 0x58465342ll, 0x9123683Ell, 0x01021994ll, 0x2FC12FC1ll,
                               0x794C7630ll, 0xF2F52010ll, 0x858458F6ll, 0xCA451A4Ell}) {
    if (static_cast<long long>(system.f_type) == type) return true;
  }
  return false;
}

void set_up(Connection& db, const fs::path& folder) {
  const bool wal = is_local(folder);
  db.exec(wal ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE");
  // The end of a job is in its records, too: what a crash of the machine takes is found there.
  db.exec(wal ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
}

void check_version(Connection& db, const fs::path& file) {
  const auto version = db.integer("PRAGMA user_version");
  if (version == kVersion) return;
  if (version > kVersion) {
    throw Error(ErrorKind::unsupported, file.string() + ": written by a newer version (schema " +
                                            std::to_string(version) + ", this program knows " +
                                            std::to_string(kVersion) + "); use that version");
  }
  throw Error(ErrorKind::unsupported, file.string() + ": written by an older version (schema " +
                                          std::to_string(version) + ", needed " +
                                          std::to_string(kVersion) + "); run `kd state upgrade`");
}

bool is_empty(Connection& db) { return db.integer("SELECT count(*) FROM sqlite_master") == 0; }

void make_tables(State::Impl& impl, bool writes) {
  Transaction all(*impl.db);
  if (!is_empty(*impl.db)) return;  // another process was first
  impl.db->exec(kTables);
  impl.db->exec("PRAGMA user_version = " + std::to_string(kVersion));
  impl.restore(writes);
  all.commit();
}

// What cannot be looked into is not empty.
void check_folder(const fs::path& folder) {
  std::error_code error;
  const auto found = fs::status(folder, error);
  const bool absent = error == std::errc::no_such_file_or_directory;
  if (found.type() == fs::file_type::directory || absent) return;
  throw Error(ErrorKind::value,
              folder.string() + ": " +
                  (error ? "cannot be read: " + error.message() : "is not a folder") +
                  "; the state is kept in a folder, which KD_STATE may name");
}

// The lock that is held while a database is made, so that nobody takes its log for a stale one.
std::unique_ptr<base::File> begin_making(const fs::path& file) {
  std::error_code error;
  if (fs::exists(file, error)) return nullptr;
  const fs::path path = file.parent_path() / "making.lock";
  auto lock = std::make_unique<base::File>(path, O_RDWR | O_CREAT);
  wait_lock(lock->descriptor(), path, 0, 0);
  if (fs::exists(file, error)) return nullptr;
  // Of one that was removed: they would be taken for those of the new one.
  for (const char* suffix : {"-wal", "-shm"}) fs::remove(file.string() + suffix, error);
  return lock;
}

void open_to_write(State::Impl& impl) {
  std::error_code error;
  fs::create_directories(impl.folder / "experiments", error);
  if (error) {
    throw Error(ErrorKind::value, impl.folder.string() + ": cannot be made: " + error.message() +
                                      "; name another folder for the state in KD_STATE");
  }
  const fs::path file = impl.folder / kFile;
  const auto making = begin_making(file);
  impl.db = std::make_unique<Connection>(file, Connection::Mode::write);
  if (is_empty(*impl.db)) {
    set_up(*impl.db, impl.folder);
    make_tables(impl, /*writes=*/true);
  }
  check_version(*impl.db, file);
  set_up(*impl.db, impl.folder);
}

void open_in_memory(State::Impl& impl) {
  impl.db = std::make_unique<Connection>(impl.folder / kFile, Connection::Mode::memory);
  make_tables(impl, /*writes=*/false);
}

void open_to_read(State::Impl& impl) {
  const fs::path file = impl.folder / kFile;
  std::error_code error;
  if (!fs::exists(file, error)) {
    // A database that is lost is read from the records, and left for a launcher to build.
    if (!homes_in(impl.folder).empty()) open_in_memory(impl);
    return;
  }
  impl.db = std::make_unique<Connection>(file, Connection::Mode::read);
  // In a folder that is read-only, or on a full disk, SQLite cannot make the files that WAL needs.
  if (!impl.db->has_its_files()) {
    if (fs::exists(file.string() + "-wal", error)) {
      open_in_memory(impl);
      return;
    }
    impl.db = std::make_unique<Connection>(file, Connection::Mode::immutable);
  }
  if (is_empty(*impl.db)) {  // a launcher is about to fill it, or died before it could
    impl.db.reset();
    if (!homes_in(impl.folder).empty()) open_in_memory(impl);
    return;
  }
  check_version(*impl.db, file);
}

}  // namespace

fs::path state_folder() {
  const auto given = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  if (const auto folder = given("KD_STATE"); !folder.empty()) return fs::absolute(folder);
  // As the XDG specification says, a relative path is ignored.
  if (const auto folder = given("XDG_STATE_HOME"); folder.starts_with('/')) {
    return fs::path(folder) / "kauldron";
  }
  const auto home = given("HOME");
  if (home.empty()) {
    throw Error(ErrorKind::value, "no folder for the state: HOME is not set; name one in KD_STATE");
  }
  return fs::path(home) / ".local/state/kauldron";
}

State::State(const fs::path& folder, Open open) : impl_(std::make_unique<Impl>()) {
  impl_->folder = fs::absolute(folder);
  check_folder(impl_->folder);
  if (open == Open::write) {
    open_to_write(*impl_);
  } else {
    open_to_read(*impl_);
  }
}

State::~State() = default;
State::State(State&&) noexcept = default;

const fs::path& State::folder() const { return impl_->folder; }

int State::reserve(int least) {
  Connection& db = *impl_->db;
  db.exec("PRAGMA synchronous = FULL");  // a number is never given twice
  Transaction all(db);
  const int xid = std::max(least, next_xid());
  Query(db, "INSERT INTO experiments (xid, created, host) VALUES (?, ?, ?)")
      .run(xid, now(), host());
  all.commit();
  set_up(db, impl_->folder);
  return xid;
}

fs::path home_of(const Plan& plan, const fs::path& state) {
  if (plan.dir.empty()) return state / "experiments" / std::to_string(plan.xid);
  return fs::path(plan.dir) / kHome;
}

int State::next_xid() const {
  if (!impl_->db) return 1;
  // Removed experiments count: their numbers are not used again.
  Query query(*impl_->db, "SELECT seq FROM sqlite_sequence WHERE name = 'experiments'");
  return query.next() ? query.number(0) + 1 : 1;
}

void check_new_home(const State& state, const fs::path& home) {
  std::error_code error;
  if (!fs::exists(home / kHeading, error)) return;
  const int other = read_heading(home).plan.xid;
  const std::string folder = home.parent_path().string();
  const auto known = state.experiment(other);
  if (known && known->home == home) {
    throw Error(ErrorKind::value, folder + ": holds experiment " + std::to_string(other) +
                                      "; give each experiment a folder of its own, with {xid} in "
                                      "its name");
  }
  throw Error(ErrorKind::value, folder +
                                    ": holds an experiment that this state does not know; add it "
                                    "with `kd state rebuild " +
                                    folder + "`, or choose another root_dir");
}

int State::next_wid(int xid) const {
  if (!impl_->db) return 1;
  Query query(*impl_->db, "SELECT max(wid) FROM units WHERE xid = ?", xid);
  return query.next() ? query.number(0) + 1 : 1;
}

namespace {

void check_numbers(const Plan& plan, int first) {
  int wid = first;
  for (const PlannedUnit& unit : plan.units) {
    if (unit.wid != wid++) {
      throw OutdatedPlan(ErrorKind::value, "experiment " + std::to_string(plan.xid) + ": unit " +
                                               std::to_string(unit.wid) + " cannot follow unit " +
                                               std::to_string(wid - 2) + "; use consecutive ids");
    }
  }
}

void refuse_known_points(Connection& db, const Plan& plan) {
  Query query(db, "SELECT wid FROM units WHERE xid = ? AND identity = ?");
  for (const PlannedUnit& unit : plan.units) {
    if (unit.identity.empty()) continue;
    query.bind(plan.xid, unit.identity);
    if (!query.next()) continue;
    throw Error(ErrorKind::value, "experiment " + std::to_string(plan.xid) + ": '" + unit.identity +
                                      "' is its unit " + std::to_string(query.number(0)) +
                                      " already; resume it, or give the new unit another identity");
  }
}

}  // namespace

void State::record(const Plan& given, std::string_view executor,
                   const std::map<std::string, std::string>& beside) {
  Plan plan = given;
  if (plan.cwd.empty()) plan.cwd = fs::current_path().string();
  check_units(plan);
  check_numbers(plan, next_wid(plan.xid));
  const auto known = experiment(plan.xid);
  const bool is_new = !known || !known->recorded;
  const fs::path home = is_new ? home_of(plan, impl_->folder) : fs::path(known->home);
  std::error_code error;
  // One process at a time: the units of two would have the same numbers.
  make_folders(home);
  const base::File adding(home / kAdding, O_RDWR | O_CREAT);
  wait_lock(adding.descriptor(), home / kAdding, 0, 0);
  if (is_new) check_new_home(*this, home);
  check_numbers(plan, next_wid(plan.xid));
  if (!is_new) refuse_known_points(*impl_->db, plan);

  const Heading heading = {.plan = plan,
                           .executor = std::string(executor),
                           .host = host(),
                           .created = now(),
                           .home = home.string()};
  Snapshot(home / kStore, plan.files).write();
  write_units(home, plan.units, is_new ? &heading : nullptr, beside);
  if (is_new) {
    const fs::path link = impl_->folder / "experiments" / std::to_string(plan.xid);
    if (link != home) {
      fs::remove(link, error);
      fs::create_directory_symlink(home, link, error);
    }
  }
  Connection& db = *impl_->db;
  db.exec("PRAGMA synchronous = FULL");
  Transaction all(db);
  if (is_new) impl_->insert_experiment(heading);
  if (!is_new) impl_->set_limits(home, plan);
  impl_->insert_units(plan.xid, plan.units);
  all.commit();
  set_up(db, impl_->folder);
}

void State::note(int xid, std::string_view title, std::string_view note,
                 const std::vector<std::string>& tags) {
  const auto row = experiment(xid);
  if (!row || !row->recorded) {
    throw Error(ErrorKind::key, "there is no experiment " + std::to_string(xid));
  }
  Heading heading = read_heading(row->home);
  heading.plan.title = title;
  heading.plan.note = note;
  heading.plan.tags = tags;
  write_heading(row->home, heading);
  Query(*impl_->db,
        "UPDATE experiments SET title = ?, note = ?, tags = ?, heading = ? WHERE xid = ?")
      .run(title, note, pack(tags), heading_json(heading), xid);
}

void State::remove(int xid) {
  const auto row = experiment(xid);
  if (!row) throw Error(ErrorKind::key, "there is no experiment " + std::to_string(xid));
  if (const std::string live = live_text(*this, xid); !live.empty()) {
    throw Error(ErrorKind::value, "experiment " + std::to_string(xid) + ": " + live);
  }
  std::error_code error;
  if (row->recorded && missing_text(*row).empty()) {
    if (is_locked(fs::path(row->home) / kLock)) {
      throw Error(ErrorKind::value, "experiment " + std::to_string(xid) +
                                        ": a launcher runs it; stop it first: `kd stop " +
                                        std::to_string(xid) + "`");
    }
    for (const UnitRow& unit : units(xid, {.states = {JobState::running}, .limit = 1})) {
      throw Error(ErrorKind::value, "experiment " + std::to_string(xid) + ": unit " +
                                        std::to_string(unit.wid) +
                                        " is running; stop it first: "
                                        "`kd stop " +
                                        std::to_string(xid) + "`");
    }
  }
  note_last(impl_->folder, next_xid() - 1);
  // The records first: from those that are left the experiment would come back.
  if (row->recorded) {
    fs::remove_all(row->home, error);
    if (error) throw base::FileError(row->home, "cannot be removed", error.value());
  }
  fs::remove_all(impl_->folder / "experiments" / std::to_string(xid), error);
  Transaction all(*impl_->db);
  for (const char* table : {"attempts", "jobs", "units", "experiments"}) {
    Query(*impl_->db, "DELETE FROM " + std::string(table) + " WHERE xid = ?").run(xid);
  }
  all.commit();
}

void State::upgrade(const fs::path& folder) {
  const fs::path file = folder / kFile;
  std::error_code error;
  if (!fs::exists(file, error)) return;
  const auto version = Connection(file, Connection::Mode::read).integer("PRAGMA user_version");
  if (version >= kVersion) {
    const State current(folder, Open::write);  // an Error if it is too new
    return;
  }
  // Everything in it follows from the records: build it again, and keep the old one.
  base::rename_synced(file, file.string() + ".v" + std::to_string(version));
  for (const char* suffix : {"-wal", "-shm"}) fs::remove(file.string() + suffix, error);
  const State rebuilt(folder, Open::write);
}

void State::follow(const ExperimentRow& experiment) {
  if (!impl_->db->is_lost()) return;
  impl_->db->abandon();
  impl_->db.reset();
  open_to_write(*impl_);
  rebuild({experiment.home});  // what another process has made may be behind
}

// ---- What a launcher writes ---------------------------------------------------------------------

void State::Impl::insert_experiment(const Heading& heading) {
  const Plan& plan = heading.plan;
  Query(*db,
        "INSERT OR REPLACE INTO experiments (xid, title, author, note, tags, dir, home, cwd, "
        "host, executor, created, recorded, heading) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "1, ?)")
      .run(plan.xid, plan.title, plan.author, plan.note, pack(plan.tags), plan.dir, heading.home,
           plan.cwd, heading.host, heading.executor, heading.created, heading_json(heading));
}

// Those of the experiment that gets these units.
void State::Impl::set_limits(const fs::path& home, const Plan& plan) {
  Heading heading = read_heading(home);
  const auto limits = [](auto& of) { return std::tie(of.max_parallel, of.retries, of.fail_fast); };
  if (limits(heading.plan) == limits(plan)) return;
  limits(heading.plan) = limits(plan);
  write_heading(home, heading);
  Query(*db, "UPDATE experiments SET heading = ? WHERE xid = ?")
      .run(heading_json(heading), plan.xid);
}

void State::Impl::insert_units(int xid, std::span<const PlannedUnit> units) {
  Query unit_row(*db, "INSERT INTO units VALUES (?, ?, ?, ?, ?, ?)");
  Query job_row(*db,
                "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const PlannedUnit& unit : units) {
    const std::string args = konfig::to_json(unit.args);
    unit_row.run(xid, unit.wid, static_cast<int>(JobState::waiting), unit.identity, unit.dir, args);
    int place = 0;
    for (const PlannedJob& job : unit.jobs) {
      const Resources& r = job.resources;
      std::vector<std::string> env;
      for (auto& [name, value] : job.env) env.push_back(name + "=" + value);
      const std::string packed_argv = pack(job.argv), packed_env = pack(env);
      const std::string packed_secrets = pack(job.secrets), packed_after = pack(job.after);
      job_row.run(xid, unit.wid, place++, job.name, static_cast<int>(job.role),
                  static_cast<int>(JobState::waiting), packed_argv, packed_env, packed_secrets,
                  packed_after, r.cpus, r.memory, r.gpus, r.gpu_type, r.replicas, r.seconds,
                  r.place, r.container);
    }
  }
}

void State::Impl::add_attempt(const Attempt& attempt, double intended) {
  Query(*db,
        "INSERT OR IGNORE INTO attempts (xid, wid, job, number, token, folder, intended) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)")
      .run(attempt.xid, attempt.wid, attempt.job, attempt.number, attempt.token, attempt.folder,
           intended > 0 ? intended : now());
}

void State::Impl::set_where(const Attempt& attempt, std::string_view where) {
  Query(*db, "UPDATE attempts SET place = ? WHERE xid = ? AND wid = ? AND job = ? AND number = ?")
      .run(where, attempt.xid, attempt.wid, attempt.job, attempt.number);
}

void State::Impl::end_attempt(const Attempt& attempt, const Ended& e) {
  Query(*db,
        "UPDATE attempts SET how = ?, code = ?, host = ?, started = ?, ended = ?, reason = ?, "
        "cpu_seconds = ?, peak_memory = ? WHERE xid = ? AND wid = ? AND job = ? AND number = ?")
      .run(static_cast<int>(e.how), e.code, e.host, e.started, e.ended, e.reason, e.cpu_seconds,
           e.peak_memory, attempt.xid, attempt.wid, attempt.job, attempt.number);
}

void State::Impl::set_state(int xid, int wid, int place, JobState state, bool decided) {
  const bool follows =  // from the job's attempts
      state == JobState::finished || state == JobState::failed || state == JobState::running;
  if (decided || !follows) record_decision(xid, {.wid = wid, .place = place, .state = state});
  put_state(xid, wid, place, state);
}

void State::Impl::record_decision(int xid, Decision decision) {
  if (decisions_xid_ != xid) {
    Query home(*db, "SELECT home FROM experiments WHERE xid = ?", xid);
    if (!home.next()) return;
    decisions_ = std::make_unique<Decisions>(home.copy(0));
    decisions_xid_ = xid;
  }
  Query last(*db,
             "SELECT ifnull(max(a.number), 0) FROM jobs j JOIN attempts a ON a.xid = j.xid AND "
             "a.wid = j.wid AND a.job = j.name WHERE j.xid = ? AND j.wid = ? AND j.place = ?",
             xid, decision.wid, decision.place);
  if (last.next()) decision.attempts = last.number(0);
  decisions_->add(decision);
}

void State::Impl::put_state(int xid, int wid, int place, JobState state) {
  Query(*db, "UPDATE jobs SET state = ? WHERE xid = ? AND wid = ? AND place = ?")
      .run(static_cast<int>(state), xid, wid, place);
  Query(*db,
        "UPDATE units SET state = (SELECT max(state) FROM jobs WHERE xid = ?1 AND wid = ?2) "
        "WHERE xid = ?1 AND wid = ?2")
      .run(xid, wid);
}

}  // namespace kxm
