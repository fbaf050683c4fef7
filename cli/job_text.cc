#include "cli/job_text.h"

#include <vector>

#include "base/count_text.h"
#include "base/join.h"
#include "cli/experiments.h"
#include "cli/launch_view.h"
#include "cli/shown.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "kxm/argv.h"
#include "kxm/requirements.h"

namespace cli {

namespace {

std::string attempt_text(const kxm::AttemptRow& attempt) {
  std::vector<std::string> parts;
  if (const auto& ended = attempt.ended) {
    const std::string why = why_text(attempt);
    parts.push_back(why.empty() ? std::string(to_string(ended->how)) : why);
    const bool started = ended->how != kxm::End::not_started;
    const double last = ended->started > 0 ? ended->started : attempt.intended;
    parts.push_back((started ? "started " : "tried ") +
                    time_text(attempt.rounds.empty() ? last : attempt.rounds.front().started));
    if (started && ended->started > 0 && ended->ended > 0) {
      parts.push_back("took " + duration_text(seconds_of(attempt)));
    }
    if (!ended->host.empty()) parts.push_back("on " + ended->host);
  } else if (attempt.begun > 0) {
    parts.push_back("started " + time_text(attempt.begun));
  } else {
    const char* what = attempt.where.empty() ? "waits since " : "submitted ";
    parts.push_back(what + time_text(attempt.intended));
  }
  if (attempt.requeues > 0) parts.push_back(base::count_text(attempt.requeues, "requeue"));
  if (!attempt.where.empty()) parts.push_back(attempt.where);
  return base::join(parts, ", ");
}

}  // namespace

std::string job_text(const kxm::JobRow& job) {
  const std::string why = job.state == kxm::JobState::failed ? job.why() : warning_of(job);
  Table table;
  auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) table.add({name, value});
  };
  add("command", kxm::shell_line(job.what.argv));
  std::string env;
  for (auto& [name, value] : job.what.env)
    env += (env.empty() ? "" : " ") + kxm::shell_line({name + "=" + value});
  add("environment", env);
  add("secrets", base::join(job.what.secrets, ", "));
  add("needs", kxm::needs_text(job.what.resources));
  add("after", base::join(job.what.after, ", "));
  for (auto& attempt : job.attempts) {
    add(("attempt " + std::to_string(attempt.number)).c_str(), attempt_text(attempt));
    const bool never = attempt.ended && attempt.ended->how == kxm::End::not_started;
    if (!never) add("log", path_text(log_of(attempt.folder).string()));
  }
  return ink_out(Ink::bold, shown(job.what.name)) + ": " + state_text(job.state) +
         (why.empty() ? "" : ": " + why) + "\n" + table.text();
}

}  // namespace cli
