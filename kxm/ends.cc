// The states and ends of jobs: what an end means, and both in words.
#include <signal.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "kxm/state.h"

namespace kxm {

namespace fs = std::filesystem;

namespace {

std::string how_text(const Ended& ended) {
  const auto signal = [&] {
    const char* name = ::sigabbrev_np(ended.code);
    return name ? "SIG" + std::string(name) : "signal " + std::to_string(ended.code);
  };
  switch (ended.how) {
    case End::finished:
      return "finished";
    case End::exit_code:
      return "exit code " + std::to_string(ended.code);
    case End::signal:
      return "killed by " + signal();
    case End::out_of_memory:
      return "out of memory: the system killed it";
    case End::time_limit:
      return "over its time limit";
    case End::stopped:
      return ended.code == SIGKILL ? "killed on request" : "stopped on request";
    case End::incomplete:
      return "exit code 0, but train_complete.txt is missing";
    case End::not_started:
      return "could not be started";
    case End::lost:
      return "lost: nobody saw how it ended: its supervisor was killed, or its record is damaged";
    case End::dropped:
      return "lost by its cluster, which was to start it again";
  }
  return "";
}

}  // namespace

std::string_view to_string(JobState state) {
  constexpr std::array<std::string_view, kJobStates> kNames = {"finished", "skipped", "stopped",
                                                               "failed",   "waiting", "running"};
  return kNames.at(static_cast<std::size_t>(state));
}

std::optional<JobState> state_of(std::string_view name) {
  for (int i = 0; i < kJobStates; ++i) {
    if (to_string(static_cast<JobState>(i)) == name) return static_cast<JobState>(i);
  }
  return std::nullopt;
}

std::string_view to_string(End how) {
  constexpr std::array<std::string_view, 10> kNames = {
      "finished", "exit_code",  "signal",      "out_of_memory", "time_limit",
      "stopped",  "incomplete", "not_started", "lost",          "dropped"};
  return kNames.at(static_cast<std::size_t>(how));
}

int Counts::total() const { return std::accumulate(of.begin(), of.end(), 0); }

Ended judged(Ended ended, Role role, const std::string& unit_dir) {
  if (role != Role::train) return ended;
  std::error_code error;
  const bool complete = fs::exists(fs::path(unit_dir) / "train_complete.txt", error);
  const bool asked = ended.how == End::stopped || ended.how == End::time_limit;
  if (ended.how == End::finished && !complete) ended.how = End::incomplete;
  if (asked && complete && ended.code == 0) ended.how = End::finished;
  // Nobody saw how it ended, but it left what only a complete training leaves.
  const bool unseen = ended.how == End::lost || ended.how == End::dropped;
  if (unseen && complete) ended.how = End::finished;
  return ended;
}

JobState state_after(const Ended& ended) {
  if (ended.how == End::finished) return JobState::finished;
  if (ended.how == End::stopped) return JobState::stopped;
  if (ended.how == End::dropped) return JobState::waiting;
  // It never was: the launcher died before.
  if (ended.how == End::not_started && ended.reason.empty()) return JobState::waiting;
  return JobState::failed;
}

std::string why(const Ended& ended) {
  if (ended.reason.empty()) return how_text(ended);
  if (ended.how == End::lost) return "lost: " + ended.reason;
  if (ended.how == End::stopped) return "stopped: " + ended.reason;
  return how_text(ended) + (ended.how == End::not_started ? ": " : "; ") + ended.reason;
}

std::string JobRow::why() const {
  if (trainer) return "trained by process " + std::to_string(*trainer) + ", without a launcher";
  if (attempts.empty() || !attempts.back().ended) return "";
  return kxm::why(*attempts.back().ended);
}

}  // namespace kxm
