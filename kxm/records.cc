// The records beside the results.
#include "kxm/records_impl.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <tuple>

#include "base/durable.h"
#include "base/file.h"
#include "base/number_in.h"
#include "konfig/error.h"
#include "konfig/json.h"
#include "kxm/lock_impl.h"
#include "kxm/state.h"
#include "kxm/text_impl.h"

namespace kxm {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

constexpr std::string_view kUnits = "units-";
constexpr const char* kDecisions = "decisions.txt";

double seconds(const Dict& dict, std::string_view key) {
  const Value* value = dict.find(Value(key));
  if (!value) return 0;
  if (auto* whole = value->get_if<std::int64_t>()) return static_cast<double>(*whole);
  return value->as<double>();
}

std::int64_t whole(const Dict& dict, std::string_view key) {
  const Value* value = dict.find(Value(key));
  return value ? value->as<std::int64_t>() : 0;
}

std::string text(const Dict& dict, std::string_view key) {
  const Value* value = dict.find(Value(key));
  return value ? text_of(*value) : "";
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \n") == std::string_view::npos;
}

// Nothing if it is not there; a FileError if that cannot be said.
std::optional<std::string> read_if_there(const fs::path& file) {
  try {
    return base::read_file(file);
  } catch (const base::FileError& error) {
    if (error.code() == std::errc::no_such_file_or_directory) return std::nullopt;
    throw;
  }
}

// Blank or torn, as a crash of the machine may leave it, counts as missing.
std::optional<Ended> read_ended(const fs::path& attempt, const char* name = kEnded) {
  const auto text = read_if_there(attempt / name);
  if (!text || is_blank(*text)) return std::nullopt;
  try {
    return ended_from_json(*text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

template <class Parse>
auto parsed(const fs::path& file, const Parse& parse) {
  const std::string text = base::read_file(file);
  try {
    return parse(text);
  } catch (const Error& error) {
    throw Error(error.kind(), file.string() + ": the record is damaged: " + error.what());
  }
}

}  // namespace

void make_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw base::FileError(folder, "cannot be made", error.value());
}

void write_heading(const fs::path& home, const Heading& heading) {
  make_folders(home);
  base::replace_file(home / kHeading, heading_json(heading));
}

void write_units(const fs::path& home, std::span<const PlannedUnit> units, const Heading* heading,
                 const std::map<std::string, std::string>& beside) {
  std::vector<base::FileText> files;
  for (auto& [name, text] : beside) files.push_back({home / name, text});
  if (!units.empty()) {
    const std::string name = std::string(kUnits) + std::to_string(units.front().wid) + ".json";
    files.push_back({home / name, units_json(units)});
  }
  if (heading) files.push_back({home / kHeading, heading_json(*heading)});
  make_folders(home);
  base::replace_files(files);
}

Heading read_heading(const fs::path& home) { return parsed(home / kHeading, heading_from_json); }

std::vector<fs::path> unit_files(const fs::path& home) {
  std::vector<std::pair<int, fs::path>> files;
  for (const auto& entry : fs::directory_iterator(home)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kUnits) || !name.ends_with(".json")) continue;
    const auto first = base::number_in<int>(
        std::string_view(name).substr(kUnits.size(), name.size() - kUnits.size() - 5));
    if (first) files.emplace_back(*first, entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<fs::path> out;
  for (auto& [first, file] : files) out.push_back(std::move(file));
  return out;
}

std::vector<PlannedUnit> read_units(const fs::path& home) {
  std::vector<PlannedUnit> out;
  const auto next = [&] { return std::string(kUnits) + std::to_string(out.size() + 1) + ".json"; };
  const auto check = [&](bool there) {
    if (!there) throw Error(ErrorKind::value, (home / next()).string() + ": the record is missing");
  };
  // Each file begins where the one before ends.
  for (const fs::path& file : unit_files(home)) {
    check(file.filename() == next());
    for (auto& unit : parsed(file, units_from_json)) out.push_back(std::move(unit));
  }
  check(!out.empty());
  return out;
}

Decisions::Decisions(const fs::path& home)
    : file_(home / kDecisions, O_WRONLY | O_CREAT | O_APPEND) {}

// The end of a line begins the next one: one that a full disk has torn spoils no other.
void Decisions::add(const Decision& decision) const {
  file_.write("\n" + std::to_string(decision.wid) + " " + std::to_string(decision.place) + " " +
              std::to_string(decision.attempts) + " " + std::string(to_string(decision.state)));
}

std::vector<Decision> read_decisions(const fs::path& home) {
  std::vector<Decision> out;
  std::istringstream lines(read_if_there(home / kDecisions).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Decision decision;
    std::string name;
    if (!(words >> decision.wid >> decision.place >> decision.attempts >> name)) continue;
    if (const auto state = state_of(name)) {
      decision.state = *state;
      out.push_back(decision);
    }
  }
  return out;
}

std::string folder_name(std::string_view job) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const unsigned char c : job) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '_' || c == '-' || (c == '.' && !out.empty()) || c >= 0x80;
    if (plain) {
      out += static_cast<char>(c);
    } else {
      out += {'%', kDigits[c >> 4], kDigits[c & 15]};
    }
  }
  return out;
}

fs::path attempt_folder(const fs::path& home, int wid, std::string_view job, int number) {
  return home / "jobs" / std::to_string(wid) / folder_name(job) / std::to_string(number);
}

namespace {

// Without its last brace.
std::string intent_json(const Attempt& attempt, double when) {
  std::string out = "{\"xid\": " + std::to_string(attempt.xid) +
                    ", \"wid\": " + std::to_string(attempt.wid) + ", \"job\": ";
  append_text(out, attempt.job);
  out += ", \"number\": " + std::to_string(attempt.number) + ", \"token\": \"" + attempt.token +
         "\", \"intended\": " + std::to_string(when);
  return out;
}

void write_intent(const Attempt& attempt, double when) {
  if (!attempt.unit_dir.empty()) make_folders(attempt.unit_dir);
  make_folders(attempt.folder);
  std::string out = intent_json(attempt, when) + ", \"host\": ";
  append_text(out, host());
  out += ", \"cwd\": ";
  append_text(out, attempt.cwd);
  out += ", \"argv\": ";
  append_texts(out, attempt.what.argv);
  // The database follows from these records, so they are as durable as it is.
  base::replace_unsynced(fs::path(attempt.folder) / kIntent, out + "}\n");
}

// Nothing if it was torn by a crash of the machine: then it was not started.
std::optional<Intent> intent_from(std::string_view json) {
  try {
    const Dict dict = konfig::parse_json(json).as<Dict>();
    return Intent{.wid = static_cast<int>(whole(dict, "wid")),
                  .job = kxm::text_of(dict.at("job")),
                  .number = static_cast<int>(whole(dict, "number")),
                  .token = dict.at("token").as<std::string>(),
                  .intended = seconds(dict, "intended"),
                  .folder = {}};
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

void write_intents(const fs::path& home, std::span<const Attempt> attempts,
                   std::string_view executor, double when) {
  if (executor != "slurm") {
    for (const Attempt& attempt : attempts) write_intent(attempt, when);
    return;
  }
  std::string all;
  for (const Attempt& attempt : attempts) all += intent_json(attempt, when) + "}\n";
  make_folders(home / kIntents);
  base::replace_unsynced(home / kIntents / (attempts.front().token + ".json"), all);
}

std::vector<Intent> read_shared_intents(const fs::path& home) {
  std::vector<Intent> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(home / kIntents, error)) {
    if (entry.path().extension() != ".json") continue;
    std::istringstream lines(read_if_there(entry.path()).value_or(""));
    for (std::string line; std::getline(lines, line);) {
      auto intent = intent_from(line);
      if (!intent) continue;
      intent->folder = attempt_folder(home, intent->wid, intent->job, intent->number).string();
      out.push_back(std::move(*intent));
    }
  }
  return out;
}

std::vector<Intent> read_intents(const fs::path& home) {
  std::vector<Intent> out = read_shared_intents(home);
  std::error_code error;
  for (const auto& unit : fs::directory_iterator(home / "jobs", error)) {
    for (const auto& job : fs::directory_iterator(unit.path(), error)) {
      for (const auto& attempt : fs::directory_iterator(job.path(), error)) {
        const auto text = read_if_there(attempt.path() / kIntent);
        auto intent = text ? intent_from(*text) : std::nullopt;
        if (!intent) continue;
        intent->folder = attempt.path().string();
        out.push_back(std::move(*intent));
      }
    }
  }
  std::sort(out.begin(), out.end(), [](const Intent& a, const Intent& b) {
    return std::tie(a.wid, a.job, a.number) < std::tie(b.wid, b.job, b.number);
  });
  // One that had no place was noted again.
  out.erase(std::unique(out.begin(), out.end(),
                        [](const Intent& a, const Intent& b) {
                          return std::tie(a.wid, a.job, a.number) ==
                                 std::tie(b.wid, b.job, b.number);
                        }),
            out.end());
  return out;
}

std::string read_token(const fs::path& attempt) {
  try {
    const auto text = read_if_there(attempt / kIntent).value_or("");
    return konfig::parse_json(text).as<Dict>().at("token").as<std::string>();
  } catch (const Error&) {
    return "";
  }
}

Seen look(const fs::path& attempt) {
  using Is = Seen::Is;
  try {
    if (auto ended = read_ended(attempt)) return {Is::ended, ended};
    const bool lives = is_locked(attempt / kLock);
    const Processes processes = processes_of(attempt);
    if (lives) {
      return {Is::running, {}, processes.job > 0 ? "pid " + std::to_string(processes.job) : ""};
    }
    // It may have ended since the first look.
    if (auto ended = read_ended(attempt)) return {Is::ended, ended};
    // Written, and not put into its place: the supervisor was killed before it could.
    if (auto ended = read_ended(attempt, kReserved)) return {Is::ended, ended};
    // Locks may not reach from one machine to another.
    if (!processes.host.empty() && processes.host != host()) return {};
    // A folder that is gone tells nothing if the whole disk is.
    const fs::path home = attempt.parent_path().parent_path().parent_path().parent_path();
    if (!fs::exists(attempt) && !fs::exists(home / kHeading)) return {};
    Ended ended;
    const bool begun = processes.started > 0 || !fs::exists(attempt);
    const bool asked = fs::exists(attempt / kStop);
    ended.how = !begun ? End::not_started : asked ? End::stopped : End::lost;
    ended.started = processes.started;
    return {Is::ended, ended};
  } catch (const std::system_error&) {
    return {};
  }
}

Seen look_at_record(const fs::path& attempt) {
  try {
    if (auto ended = read_ended(attempt)) return {Seen::Is::ended, ended};
  } catch (const std::system_error&) {
  }
  return {};
}

Seen look(const fs::path& attempt, std::string_view executor) {
  return executor == "local" ? look(attempt) : look_at_record(attempt);
}

bool seal(const fs::path& attempt, const Ended& ended) {
  make_folders(attempt);
  const base::File lock(attempt / kLock, O_RDWR | O_CREAT);
  if (!try_lock(lock.descriptor(), attempt / kLock)) return false;
  if (!read_ended(attempt)) base::replace_unsynced(attempt / kEnded, ended_json(ended));
  return true;
}

std::string ended_json(const Ended& ended) {
  Dict out = {{"how", to_string(ended.how)},
              {"code", ended.code},
              {"host", record_text(ended.host)},
              {"started", ended.started},
              {"ended", ended.ended}};
  if (!ended.reason.empty()) out.set("reason", record_text(ended.reason));
  if (ended.cpu_seconds > 0) out.set("cpu_seconds", ended.cpu_seconds);
  if (ended.peak_memory > 0) out.set("peak_memory", ended.peak_memory);
  return konfig::to_json(out) + "\n";
}

Ended ended_from_json(std::string_view json) {
  const Dict dict = konfig::parse_json(json).as<Dict>();
  Ended out;
  const std::string how = dict.at("how").as<std::string>();
  bool known = false;
  for (int i = 0; i <= static_cast<int>(End::dropped); ++i) {
    if (to_string(static_cast<End>(i)) != how) continue;
    out.how = static_cast<End>(i);
    known = true;
  }
  if (!known) throw Error(ErrorKind::value, "'" + how + "' is not how a job ends");
  out.code = static_cast<int>(whole(dict, "code"));
  out.host = text(dict, "host");
  out.started = seconds(dict, "started");
  out.ended = seconds(dict, "ended");
  out.reason = text(dict, "reason");
  out.cpu_seconds = seconds(dict, "cpu_seconds");
  out.peak_memory = whole(dict, "peak_memory");
  return out;
}

Processes processes_of(const fs::path& attempt) {
  const auto content = read_if_there(attempt / kLock);
  if (!content || is_blank(*content)) return {};
  try {
    const Dict dict = konfig::parse_json(*content).as<Dict>();
    return {static_cast<int>(whole(dict, "supervisor")), static_cast<int>(whole(dict, "pid")),
            seconds(dict, "started"), text(dict, "host")};
  } catch (const Error&) {
    return {.started = 1};  // half written: it had begun
  }
}

}  // namespace kxm
