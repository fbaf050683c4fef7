// Questions to the database. Jobs that ended after their launcher are looked up in their records.
#include <algorithm>
#include <map>
#include <set>

#include "base/join.h"
#include "base/number_in.h"
#include "konfig/error.h"
#include "konfig/json.h"
#include "kxm/records_impl.h"
#include "kxm/slurm.h"
#include "kxm/state_impl.h"
#include "kxm/text_impl.h"
#include "kxm/trainings_impl.h"

namespace kxm {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

namespace {

constexpr const char* kExperiment =
    "SELECT xid, title, author, note, tags, dir, home, cwd, host, executor, created, recorded "
    "FROM experiments ";

std::vector<std::string> texts(std::string_view packed) {
  std::vector<std::string> out;
  unpack(packed, [&](std::string_view text) { out.emplace_back(text); });
  return out;
}

ExperimentRow experiment_row(const Query& q) {
  ExperimentRow out;
  out.xid = q.number(0);
  out.title = q.copy(1);
  out.author = q.copy(2);
  out.note = q.copy(3);
  out.tags = texts(q.text(4));
  out.dir = q.copy(5);
  out.home = q.copy(6);
  out.cwd = q.copy(7);
  out.host = q.copy(8);
  out.executor = q.copy(9);
  out.created = q.real(10);
  out.recorded = q.number(11) != 0;
  return out;
}

constexpr const char* kResourceColumns =
    "cpus, memory, gpus, gpu_type, replicas, seconds, location, container";
Resources resources_of(const Query& q, int at) {
  return {.cpus = q.real(at),
          .memory = q.integer(at + 1),
          .gpus = q.number(at + 2),
          .gpu_type = q.copy(at + 3),
          .replicas = q.number(at + 4),
          .seconds = q.integer(at + 5),
          .place = q.copy(at + 6),
          .container = q.copy(at + 7)};
}

// name, role, argv, env, secrets, after and the resources from column `at` on
const std::string kJobColumns =
    std::string("name, role, argv, env, secrets, after, ") + kResourceColumns;
PlannedJob planned_job(const Query& q, int at) {
  PlannedJob job;
  job.name = q.copy(at);
  job.role = static_cast<Role>(q.number(at + 1));
  job.argv = texts(q.text(at + 2));
  unpack(q.text(at + 3), [&](std::string_view pair) {
    const auto end = pair.find('=');
    job.env[std::string(pair.substr(0, end))] = pair.substr(end + 1);
  });
  job.secrets = texts(q.text(at + 4));
  job.after = texts(q.text(at + 5));
  job.resources = resources_of(q, at + 6);
  return job;
}

constexpr const char* kAttemptColumns =
    "number, token, folder, place, intended, how, code, host, started, ended, reason, cpu_seconds, "
    "peak_memory";
AttemptRow attempt_row(const Query& q, int at) {
  AttemptRow out;
  out.number = q.number(at);
  out.token = q.copy(at + 1);
  out.folder = q.copy(at + 2);
  out.where = q.copy(at + 3);
  out.intended = q.real(at + 4);
  if (!q.null(at + 5)) {
    out.ended = Ended{.how = static_cast<End>(q.number(at + 5)),
                      .code = q.number(at + 6),
                      .host = q.copy(at + 7),
                      .started = q.real(at + 8),
                      .ended = q.real(at + 9),
                      .reason = q.copy(at + 10),
                      .cpu_seconds = q.real(at + 11),
                      .peak_memory = q.integer(at + 12)};
  }
  return out;
}

// What the database cannot know, by (wid, place).
struct Now {
  std::map<std::pair<int, int>, JobState> states;
  std::map<std::pair<int, int>, int> trainers;  // of jobs that run without a launcher
};

// What has become of jobs that the database takes for running.
// CROSS JOIN keeps SQLite to this order: running units are few.
void find_ended(Connection& db, int xid, Now& out) {
  Query query(db,
              "SELECT j.wid, j.place, j.role, u.dir, a.folder, "
              "(SELECT executor FROM experiments WHERE xid = ?1) FROM units u "
              "CROSS JOIN jobs j ON j.xid = u.xid AND j.wid = u.wid "
              "CROSS JOIN attempts a ON a.xid = j.xid AND a.wid = j.wid AND a.job = j.name "
              "WHERE u.xid = ?1 AND u.state = ?2 AND j.state = ?2 AND a.how IS NULL "
              "ORDER BY a.number",
              xid, static_cast<int>(JobState::running));
  while (query.next()) {
    const Seen seen = look(query.copy(4), query.text(5));
    if (seen.is != Seen::Is::ended) continue;
    const Ended ended = judged(*seen.ended, static_cast<Role>(query.number(2)), query.copy(3));
    out.states[{query.number(0), query.number(1)}] = state_after(ended);
  }
}

// Jobs with attempts that the database does not know: one of a backup is behind.
void find_later(Connection& db, int xid, Now& out) {
  Query experiment(db, "SELECT home, executor FROM experiments WHERE xid = ?", xid);
  if (!experiment.next() || experiment.text(1) != "local") return;
  const fs::path home = experiment.copy(0);
  Query open(db, "SELECT wid, dir FROM units WHERE xid = ? AND state NOT IN (?, ?)", xid,
             static_cast<int>(JobState::finished), static_cast<int>(JobState::running));
  if (!open.next()) return;
  std::set<int> begun;  // units with attempts
  std::error_code error;
  for (const auto& unit : fs::directory_iterator(home / "jobs", error)) {
    begun.insert(base::number_in<int>(unit.path().filename().string()).value_or(0));
  }
  Query jobs(db,
             "SELECT place, name, role, (SELECT ifnull(max(number), 0) FROM attempts a WHERE "
             "a.xid = j.xid AND a.wid = j.wid AND a.job = j.name) FROM jobs j "
             "WHERE xid = ? AND wid = ?");
  do {
    const int wid = open.number(0);
    if (!begun.contains(wid)) continue;
    jobs.bind(xid, wid);
    while (jobs.next()) {
      for (int number = jobs.number(3) + 1;; ++number) {
        const fs::path folder = attempt_folder(home, wid, jobs.text(1), number);
        if (!fs::exists(folder / kIntent, error)) break;
        const Seen seen = look(folder);
        JobState& state = out.states[{wid, jobs.number(0)}];
        state = JobState::running;
        if (!seen.ended) continue;
        state = state_after(judged(*seen.ended, static_cast<Role>(jobs.number(2)), open.copy(1)));
      }
    }
  } while (open.next());
}

// Training jobs in whose folder somebody else trains.
void find_trainers(Connection& db, int xid, Now& out) {
  const Trainings trainings;
  if (trainings.none()) return;
  Query units(db, "SELECT wid, dir FROM units WHERE xid = ? AND state != ? AND length(dir) > 0",
              xid, static_cast<int>(JobState::finished));
  Query jobs(db, "SELECT place, state FROM jobs WHERE xid = ? AND wid = ? AND role = ?");
  while (units.next()) {
    const int wid = units.number(0);
    const auto trainer = trainings.in(units.copy(1));
    if (!trainer) continue;
    jobs.bind(xid, wid, static_cast<int>(Role::train));
    while (jobs.next()) {
      const std::pair at(wid, jobs.number(0));
      const auto found = out.states.find(at);
      const auto state =
          found != out.states.end() ? found->second : static_cast<JobState>(jobs.number(1));
      if (state == JobState::finished || state == JobState::running) continue;
      out.states[at] = JobState::running;
      out.trainers[at] = *trainer;
    }
  }
}

Now now_of(Connection& db, int xid) {
  Now out;
  find_ended(db, xid, out);
  find_later(db, xid, out);
  find_trainers(db, xid, out);
  return out;
}

JobState highest(const std::vector<JobRow>& jobs) {
  JobState out = JobState::finished;
  for (const JobRow& job : jobs) out = std::max(out, job.state);
  return out;
}

}  // namespace

std::vector<ExperimentRow> State::experiments(int limit) const {
  std::vector<ExperimentRow> out;
  if (!impl_->db) return out;
  Query query(*impl_->db, std::string(kExperiment) + "ORDER BY xid DESC LIMIT ?",
              limit > 0 ? limit : -1);
  while (query.next()) out.push_back(experiment_row(query));
  for (auto& row : out) row.units = count_units(row.xid);
  return out;
}

std::optional<ExperimentRow> State::experiment(int xid) const {
  if (!impl_->db) return std::nullopt;
  Query query(*impl_->db, std::string(kExperiment) + "WHERE xid = ?", xid);
  if (!query.next()) return std::nullopt;
  auto row = experiment_row(query);
  row.units = count_units(xid);
  return row;
}

Counts State::count_units(int xid) const {
  Counts out;
  if (!impl_->db) return out;
  Connection& db = *impl_->db;
  {
    Query query(db, "SELECT state, count(*) FROM units WHERE xid = ? GROUP BY state", xid);
    while (query.next()) out[static_cast<JobState>(query.number(0))] = query.number(1);
  }
  if (out[JobState::finished] == out.total()) return out;
  const auto changed = now_of(db, xid).states;
  for (auto it = changed.begin(); it != changed.end();) {
    const int wid = it->first.first;
    JobState before = JobState::finished, after = JobState::finished;
    Query jobs(db, "SELECT place, state FROM jobs WHERE xid = ? AND wid = ?", xid, wid);
    while (jobs.next()) {
      const auto found = changed.find({wid, jobs.number(0)});
      const auto state = static_cast<JobState>(jobs.number(1));
      before = std::max(before, state);
      after = std::max(after, found != changed.end() ? found->second : state);
    }
    --out[before];
    ++out[after];
    while (it != changed.end() && it->first.first == wid) ++it;
  }
  return out;
}

std::vector<UnitRow> State::units(int xid, const UnitFilter& filter) const {
  std::vector<UnitRow> out;
  if (!impl_->db) return out;
  Connection& db = *impl_->db;
  const Now now = now_of(db, xid);
  Query of(db, "SELECT executor FROM experiments WHERE xid = ?", xid);
  const std::string executor = of.next() ? of.copy(0) : "local";
  Query unit_query(db, "SELECT identity, dir, args FROM units WHERE xid = ? AND wid = ?");
  Query job_query(db, "SELECT place, state, " + kJobColumns +
                          " FROM jobs WHERE xid = ? AND wid = ? ORDER BY place");
  Query attempt_query(db, "SELECT job, " + std::string(kAttemptColumns) +
                              " FROM attempts WHERE xid = ? AND wid = ? ORDER BY job, number");
  const auto wanted = [&](JobState state) {
    return filter.states.empty() ||
           std::find(filter.states.begin(), filter.states.end(), state) != filter.states.end();
  };
  const auto add = [&](int wid) {
    unit_query.bind(xid, wid);
    if (!unit_query.next()) return;
    UnitRow unit;
    unit.wid = wid;
    unit.identity = unit_query.copy(0);
    unit.dir = unit_query.copy(1);
    unit.args = konfig::parse_json(unit_query.text(2)).as<konfig::Dict>();
    job_query.bind(xid, wid);
    while (job_query.next()) {
      JobRow job;
      job.wid = wid;
      job.what = planned_job(job_query, 2);
      job.state = static_cast<JobState>(job_query.number(1));
      const std::pair at(wid, job_query.number(0));
      if (auto found = now.states.find(at); found != now.states.end()) job.state = found->second;
      if (auto found = now.trainers.find(at); found != now.trainers.end()) {
        job.trainer = found->second;
      }
      unit.jobs.push_back(std::move(job));
    }
    attempt_query.bind(xid, wid);
    while (attempt_query.next()) {
      const auto job = std::find_if(unit.jobs.begin(), unit.jobs.end(), [&](const JobRow& j) {
        return j.what.name == attempt_query.text(0);
      });
      if (job == unit.jobs.end()) continue;
      auto attempt = attempt_row(attempt_query, 1);
      if (!attempt.ended) {
        const Seen seen = look(attempt.folder, executor);
        if (seen.ended) attempt.ended = judged(*seen.ended, job->what.role, unit.dir);
        if (!seen.where.empty()) attempt.where = seen.where;
        if (job->state == JobState::running && !job->trainer) {
          const bool queued = executor == "slurm";
          attempt.begun = queued ? processes_of(attempt.folder).started : attempt.intended;
        }
      }
      if (executor == "slurm") {
        attempt.rounds = earlier_rounds_on_slurm(attempt.folder);
        attempt.requeues = static_cast<int>(attempt.rounds.size());
      }
      job->attempts.push_back(std::move(attempt));
    }
    unit.state = highest(unit.jobs);
    if (wanted(unit.state)) out.push_back(std::move(unit));
  };
  const auto enough = [&] {
    return filter.limit > 0 && static_cast<int>(out.size()) == filter.limit;
  };
  for (const int wid : filter.wids) {
    if (!enough()) add(wid);
  }
  if (!filter.wids.empty()) return out;
  // A running unit may turn out to be anything, and others to be running.
  std::vector<int> asked = {static_cast<int>(JobState::running)}, running = {};
  for (const JobState state : filter.states) asked.push_back(static_cast<int>(state));
  for (auto& [at, state] : now.states) running.push_back(at.first);
  // In the order of the table where all are asked for, so that the first ones cost little.
  Query all(
      db,
      "SELECT wid FROM units " +
          (filter.states.empty()
               ? "NOT INDEXED WHERE xid = ?"
               : "WHERE xid = ? AND (state IN (" + base::join(asked, ", ") + ")" +
                     (running.empty() ? "" : " OR wid IN (" + base::join(running, ", ") + ")") +
                     ")") +
          " ORDER BY wid",
      xid);
  while (!enough() && all.next()) add(all.number(0));
  return out;
}

UnitRow State::unit(int xid, int wid) const {
  auto found = units(xid, {.wids = {wid}});
  if (!found.empty()) return std::move(found.front());
  const int count = next_wid(xid) - 1;
  throw Error(ErrorKind::key, !experiment(xid) ? "there is no experiment " + std::to_string(xid)
                                               : "experiment " + std::to_string(xid) +
                                                     " has no unit " + std::to_string(wid) +
                                                     "; it has 1 to " + std::to_string(count));
}

Plan State::plan(int xid) const {
  if (impl_->db) {
    Query query(*impl_->db, "SELECT heading FROM experiments WHERE xid = ? AND recorded", xid);
    if (query.next()) return heading_from_json(query.text(0)).plan;
  }
  throw Error(ErrorKind::key, "there is no experiment " + std::to_string(xid) +
                                  (experiment(xid) ? ": its launch did not come to an end" : ""));
}

// ---- For the launcher ---------------------------------------------------------------------------

std::vector<OpenJob> State::Impl::jobs(int xid, int wid) const {
  std::vector<OpenJob> out;
  Query query(
      *db,
      "SELECT wid, place, name, role, state, after, (SELECT ifnull(max(number), 0) FROM attempts a "
      "WHERE a.xid = j.xid AND a.wid = j.wid AND a.job = j.name), secrets, " +
          std::string(kResourceColumns) +
          " FROM jobs j WHERE xid = ? AND wid > ? ORDER BY wid, place",
      xid, wid);
  while (query.next()) {
    out.push_back({.wid = query.number(0),
                   .place = query.number(1),
                   .name = query.copy(2),
                   .role = static_cast<Role>(query.number(3)),
                   .state = static_cast<JobState>(query.number(4)),
                   .resources = resources_of(query, 8),
                   .after = texts(query.text(5)),
                   .secrets = query.copy(7),
                   .attempts = query.number(6)});
  }
  return out;
}

PlannedJob State::Impl::job(int xid, int wid, int place) const {
  Query query(*db, "SELECT " + kJobColumns + " FROM jobs WHERE xid = ? AND wid = ? AND place = ?",
              xid, wid, place);
  if (!query.next()) throw Error(ErrorKind::key, "there is no such job");
  return planned_job(query, 0);
}

std::string State::Impl::unit_dir(int xid, int wid) const {
  Query query(*db, "SELECT dir FROM units WHERE xid = ? AND wid = ?", xid, wid);
  return query.next() ? query.copy(0) : "";
}

std::vector<std::pair<std::string, Address>> State::Impl::unit_dirs(int xid) const {
  std::vector<std::pair<std::string, Address>> out;
  if (!db) return out;
  Query query(*db,
              "SELECT dir, xid, wid FROM units WHERE length(dir) > 0 AND (? = 0 OR xid = ?) "
              "ORDER BY xid, wid",
              xid, xid);
  while (query.next()) {
    out.emplace_back(query.copy(0), Address{.xid = query.number(1), .wid = query.number(2)});
  }
  return out;
}

std::vector<AttemptRow> State::Impl::attempts(int xid, int wid, std::string_view job) const {
  std::vector<AttemptRow> out;
  Query query(*db,
              "SELECT " + std::string(kAttemptColumns) +
                  " FROM attempts WHERE xid = ? AND wid = ? AND job = ? ORDER BY number",
              xid, wid, job);
  while (query.next()) out.push_back(attempt_row(query, 0));
  return out;
}

std::map<int, int> State::Impl::failures(int xid) const {
  std::map<int, int> out;
  // The same as `state_after` says.
  Query query(*db,
              "SELECT wid, count(*) FROM attempts WHERE xid = ? AND how NOT IN (?, ?, ?) AND "
              "NOT (how = ? AND length(reason) = 0) GROUP BY wid",
              xid, static_cast<int>(End::finished), static_cast<int>(End::stopped),
              static_cast<int>(End::dropped), static_cast<int>(End::not_started));
  while (query.next()) out[query.number(0)] = query.number(1);
  return out;
}

}  // namespace kxm
