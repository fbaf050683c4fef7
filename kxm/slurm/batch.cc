// Batches in files.
#include "kxm/slurm/batch_impl.h"

#include <cstdio>

#include "base/durable.h"
#include "base/file.h"
#include "konfig/error.h"
#include "konfig/json.h"
#include "kxm/plan_json_impl.h"
#include "kxm/records_impl.h"
#include "kxm/slurm/commands_impl.h"
#include "kxm/slurm/outputs.h"
#include "kxm/text_impl.h"

namespace kxm::slurm {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

constexpr std::string_view kTasks = ".tasks";

void append_field(std::string& json, std::string_view name, std::string_view text) {
  json += ", \"";
  json += name;
  json += "\": ";
  append_text(json, text);
}

// What tasks of an array most often share: written for the first, and for others that differ.
void append_shared(std::string& json, const PlannedJob& job, std::string_view cwd) {
  json += ", \"replicas\": " + std::to_string(job.resources.replicas) +
          ", \"gpus\": " + std::to_string(job.resources.gpus);
  append_field(json, "container", job.resources.container);
  append_field(json, "cwd", cwd);
  append_field(json, "role", role_text(job.role));
  // Pairs, since names may be any bytes, too.
  std::vector<std::string> env;
  for (auto& [name, value] : job.env) env.push_back(name + "=" + value);
  json += ", \"env\": ";
  append_texts(json, env);
  json += ", \"secrets\": ";  // their names
  append_texts(json, job.secrets);
}

bool is_shared(const Attempt& attempt, const Attempt& first) {
  const PlannedJob &job = attempt.what, &other = first.what;
  return job.resources.replicas == other.resources.replicas &&
         job.resources.gpus == other.resources.gpus &&
         job.resources.container == other.resources.container && attempt.cwd == first.cwd &&
         job.role == other.role && job.env == other.env && job.secrets == other.secrets;
}

void append_task(std::string& out, const Attempt& attempt, const Attempt& first) {
  out += "{\"wid\": ";
  out += std::to_string(attempt.wid);
  out += ", \"number\": ";
  out += std::to_string(attempt.number);
  append_field(out, "unit_dir", attempt.unit_dir);
  out += ", \"argv\": ";
  append_texts(out, attempt.what.argv);
  if (!is_shared(attempt, first)) append_shared(out, attempt.what, attempt.cwd);
  out += "}\n";
}

std::vector<std::string> texts_of(const Value& list) {
  std::vector<std::string> out;
  for (const Value& item : list.as<konfig::List>()) out.push_back(text_of(item));
  return out;
}

Dict parse_line(const fs::path& file, std::string_view line) {
  try {
    return konfig::parse_json(line).as<Dict>();
  } catch (const Error& error) {
    throw Error(ErrorKind::value, file.string() + ": cannot be read: " + error.what());
  }
}

int number_of(const Dict& dict, std::string_view key) {
  return static_cast<int>(dict.at(key).as<std::int64_t>());
}

// The line of this number; nothing after the last.
std::optional<std::string_view> line_of(std::string_view text, int number) {
  for (; !text.empty(); --number) {
    const auto end = text.find('\n');
    if (end == text.npos) return std::nullopt;
    if (number == 0) return text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

std::string last_line(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace

void put(const fs::path& file, std::string_view text) { base::replace_unsynced(file, text); }

fs::path batches_folder(const Attempt& attempt) {
  return fs::path(attempt.folder).parent_path().parent_path().parent_path().parent_path() / "slurm";
}

fs::path run_folder(const fs::path& attempt, int number) {
  return attempt / ("run-" + std::to_string(number));
}

bool was_asked(const fs::path& run) {
  return fs::exists(run / kOver) || fs::exists(run / kTaken) || fs::exists(run / kTakenOver) ||
         fs::exists(run / kStop);
}

int restarts_of(const fs::path& attempt) {
  const auto text = base::try_read_file(attempt / kLock);
  try {
    return text ? number_of(konfig::parse_json(*text).as<Dict>(), "restarts") : 0;
  } catch (const Error&) {  // half written
    return 0;
  }
}

fs::path last_run(const fs::path& attempt) {
  fs::path out = attempt;
  for (int number = 1; fs::exists(run_folder(attempt, number)); ++number) {
    out = run_folder(attempt, number);
  }
  return out;
}

void Batch::read_answer() {
  if (id || !refused.empty()) return;
  if (const auto answer = base::try_read_file(file(".answer"))) id = parse_submitted(*answer);
  if (const auto why = base::try_read_file(file(".refused"))) refused = last_line(*why);
}

void Batch::refuse(std::string_view why) {
  refused = last_line(why);
  if (refused.empty()) refused = "sbatch failed without a message";
  put(file(".refused"), refused + "\n");
}

void Batch::remove() const {
  std::error_code error;
  // First: without it there is no batch.
  for (const char* ending : {".tasks", ".answer"}) fs::remove(file(ending), error);
}

bool Batch::never_sent() const {
  const auto answer = base::try_read_file(file(".answer"));
  if (!answer || answer->empty()) return false;
  const Problem problem = problem_of(*answer);
  return problem == Problem::away || problem == Problem::limit;
}

Batch begin_batch(const fs::path& folder, std::span<const Attempt> attempts, const Lane& lane) {
  Batch batch = {.folder = folder,
                 .token = new_token(),
                 .attempts = {},
                 .job = attempts.front().job,
                 .lane = lane};
  for (const Attempt& attempt : attempts) batch.attempts.push_back(attempt.token);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw base::FileError(folder, "cannot be made", error.value());
  const base::File made(batch.tasks(), O_WRONLY | O_CREAT | O_EXCL);
  return batch;
}

// Not renamed into place: a batch that is half written was never submitted, and nobody finds its
// token at Slurm.
void write_batch(const Batch& batch, std::span<const Attempt> attempts, const TaskExtras& extras) {
  std::string text = "{\"version\": 1, \"xid\": " + std::to_string(attempts.front().xid) +
                     ", \"requeues\": " + std::to_string(extras.requeues);
  text += ", \"width\": " + std::to_string(batch.lane.width) +
          ", \"after\": " + std::to_string(batch.lane.after.value_or(0));
  append_field(text, "job", batch.job);
  text += ", \"setup\": ";
  append_texts(text, extras.setup);
  append_shared(text, attempts.front().what, attempts.front().cwd);
  text += ", \"tokens\": ";
  append_texts(text, batch.attempts);
  text += "}\n";
  for (const Attempt& attempt : attempts) append_task(text, attempt, attempts.front());
  base::File(batch.tasks(), O_WRONLY).write(text);
}

std::vector<Batch> read_batches(const fs::path& folder, const std::set<std::string>& known) {
  std::vector<Batch> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(kTasks) || name.starts_with('.')) continue;
    const std::string token = name.substr(0, name.size() - kTasks.size());
    if (known.contains(token)) continue;
    const auto text = base::try_read_file(entry.path());
    const auto line = text ? line_of(*text, 0) : std::nullopt;
    if (!line) continue;
    const Dict heading = parse_line(entry.path(), *line);
    const auto after = heading.at("after").as<std::int64_t>();
    out.push_back({.folder = folder,
                   .token = token,
                   .attempts = texts_of(heading.at("tokens")),
                   .job = text_of(heading.at("job")),
                   .lane = {.width = number_of(heading, "width"),
                            .after = after > 0 ? std::optional(after) : std::nullopt}});
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw base::FileError(folder, "cannot be read", error.value());
  }
  return out;
}

TaskToRun read_task(const fs::path& tasks, int index) {
  const std::string text = base::read_file(tasks);
  const auto heading = line_of(text, 0);
  const auto line = index < 0 ? std::nullopt : line_of(text, index + 1);
  if (!heading || !line) {
    throw Error(ErrorKind::value, tasks.string() + ": has no task " + std::to_string(index));
  }
  const Dict batch = parse_line(tasks, *heading);
  const Dict task = parse_line(tasks, *line);
  const Dict& shared = task.find(Value("role")) ? task : batch;
  TaskToRun out;
  out.extras.setup = texts_of(batch.at("setup"));
  out.extras.requeues = number_of(batch, "requeues");
  Attempt& attempt = out.attempt;
  attempt.xid = number_of(batch, "xid");
  attempt.job = text_of(batch.at("job"));
  attempt.wid = number_of(task, "wid");
  attempt.number = number_of(task, "number");
  attempt.token = texts_of(batch.at("tokens")).at(static_cast<std::size_t>(index));
  attempt.folder =
      attempt_folder(tasks.parent_path().parent_path(), attempt.wid, attempt.job, attempt.number);
  attempt.unit_dir = text_of(task.at("unit_dir"));
  attempt.cwd = text_of(shared.at("cwd"));
  attempt.what.name = attempt.job;
  attempt.what.role = role_of(text_of(shared.at("role")));
  attempt.what.resources.replicas = number_of(shared, "replicas");
  attempt.what.resources.gpus = number_of(shared, "gpus");
  attempt.what.resources.container = text_of(shared.at("container"));
  attempt.what.argv = texts_of(task.at("argv"));
  attempt.what.secrets = texts_of(shared.at("secrets"));
  for (const std::string& pair : texts_of(shared.at("env"))) {
    const auto end = pair.find('=');
    attempt.what.env[pair.substr(0, end)] = pair.substr(end + 1);
  }
  return out;
}

}  // namespace kxm::slurm
