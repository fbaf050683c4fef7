// Plans that cannot be recorded or run.
#include <algorithm>
#include <cctype>
#include <climits>
#include <set>

#include "base/join.h"
#include "konfig/error.h"
#include "konfig/print.h"
#include "konfig/scalar_text.h"
#include "konfig/suggest.h"
#include "kxm/check_impl.h"
#include "kxm/records_impl.h"

namespace kxm {

using konfig::Error;
using konfig::ErrorKind;

namespace {

void check_text(const std::string& text, const char* what) {
  if (text.find('\0') == text.npos) return;
  throw Error(ErrorKind::value,
              std::string(what) + " has a zero byte, which no program can be given");
}

void check_job(const PlannedJob& job, const std::vector<std::string>& names) {
  if (job.argv.empty() || job.argv.front().empty()) {
    throw Error(ErrorKind::value, "there is no program to run");
  }
  // It is part of folders and of addresses such as 17/3/train.
  const bool odd = std::any_of(job.name.begin(), job.name.end(),
                               [](unsigned char c) { return c == '/' || std::iscntrl(c) != 0; });
  if (job.name.empty() || job.name.starts_with('.') || odd) {
    throw Error(ErrorKind::value, "a job cannot be called so; use letters, digits, '_' and '-'");
  }
  if (const auto size = folder_name(job.name).size(); size > NAME_MAX) {
    throw Error(ErrorKind::value, "its folder is called after it, with " + std::to_string(size) +
                                      " letters, but the name of a folder has at most " +
                                      std::to_string(NAME_MAX) + "; shorten it");
  }
  for (const std::string& secret : job.secrets) {
    if (!job.env.contains(secret)) continue;
    throw Error(ErrorKind::value, "'" + secret +
                                      "' is a secret and in env_vars, too; give it in "
                                      "one of these places");
  }
  for (const std::string& argument : job.argv) check_text(argument, "an argument");
  for (auto& [name, value] : job.env) {
    check_text(name, "the name of an environment variable");
    check_text(value, "an environment variable");
    if (name.empty() || name.find('=') != name.npos) {
      throw Error(ErrorKind::value, "'" + name + "' cannot be an environment variable's name");
    }
  }
  for (const std::string& other : job.after) {
    if (std::find(names.begin(), names.end(), other) != names.end()) continue;
    throw Error(ErrorKind::key, "waits for a job '" + other + "' that its unit does not have" +
                                    konfig::did_you_mean(other, names));
  }
}

// Takes away, again and again, what waits for nothing that is left.
void check_order(const std::vector<PlannedJob>& jobs) {
  std::vector<const PlannedJob*> left;
  for (const PlannedJob& job : jobs) left.push_back(&job);
  const auto waits = [&](const PlannedJob* job) {
    return std::any_of(job->after.begin(), job->after.end(), [&](const std::string& name) {
      return std::any_of(left.begin(), left.end(),
                         [&](auto* other) { return other->name == name; });
    });
  };
  for (;;) {
    const auto free = std::find_if_not(left.begin(), left.end(), waits);
    if (free == left.end()) break;
    left.erase(free);
  }
  if (left.empty()) return;
  throw Error(ErrorKind::cycle, "jobs wait for each other: " +
                                    base::join(left, ", ", [](auto* job) { return job->name; }));
}

void check_unit(const PlannedUnit& unit) {
  if (unit.jobs.empty()) throw Error(ErrorKind::value, "it has no jobs");
  std::vector<std::string> names;
  for (const PlannedJob& job : unit.jobs) names.push_back(job.name);
  for (const PlannedJob& job : unit.jobs) {
    if (std::count(names.begin(), names.end(), job.name) > 1) {
      throw Error(ErrorKind::value, "two jobs are called '" + job.name + "'");
    }
    try {
      check_job(job, names);
    } catch (const Error& error) {
      throw Error(error.kind(), "job " + konfig::shorten(konfig::repr_text(job.name), 60) + ": " +
                                    error.message());
    }
  }
  check_order(unit.jobs);
}

}  // namespace

void check_units(const Plan& plan) {
  std::set<std::string> identities;
  for (const PlannedUnit& unit : plan.units) {
    try {
      check_unit(unit);
      check_text(unit.dir, "its folder");
      if (!unit.identity.empty() && !identities.insert(unit.identity).second) {
        throw Error(ErrorKind::value, "'" + unit.identity + "' is planned twice");
      }
    } catch (const Error& error) {
      throw Error(error.kind(), "unit " + std::to_string(unit.wid) + ": " + error.message());
    }
  }
}

}  // namespace kxm
