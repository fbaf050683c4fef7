// An offline run of W&B.
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <random>

#include "base/shell_quote.h"
#include "kd/core/damaged.h"
#include "kd/core/durable.h"
#include "kd/io/file.h"
#include "kd/io/wandb_log.h"
#include "kd/writers/progress.h"
#include "kd/writers/wandb_id.h"
#include "kd/writers/wandb_run_impl.h"
#include "konfig/json.h"

namespace kd::writers::wandb {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

namespace {

constexpr const char* kAxis = "step";
constexpr const char* kTraining = "train";  // the collection

// Exit codes, as the client of W&B gives them.
constexpr int kFine = 0, kFailed = 1, kInterrupted = 255;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string new_id() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::uniform_int_distribution<std::size_t> choose(0, kLetters.size() - 1);
  std::string out;
  for (int i = 0; i < 8; ++i) out += kLetters[choose(random)];
  return out;
}

constexpr std::string_view kFolder = "offline-run-";

std::string folder_name(double time, const std::string& id) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm parts = {};
  ::localtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d_%H%M%S", &parts);
  return std::string(kFolder) + text + "-" + id;
}

// "abc" of "offline-run-20260102_030405-abc"; empty: it is another folder.
std::string id_in(const std::string& folder) {
  const std::size_t at = kFolder.size() + std::string_view("20260102_030405-").size();
  return folder.starts_with(kFolder) && folder.size() > at ? folder.substr(at) : "";
}

// The folder that a link names, without what is before it; empty: there is no such link.
std::string linked(const fs::path& link) {
  std::error_code none;
  return fs::read_symlink(link, none).filename().string();
}

void set_link(const fs::path& link, const std::string& to) {
  if (linked(link) == to) return;
  std::error_code error;
  if (fs::is_directory(fs::symlink_status(link, error))) {
    print_line("note: " + link.string() + " is a folder, copied from a link; the run is in " + to +
               "; remove the folder");
    return;
  }
  const fs::path aside = link.string() + "." + std::to_string(::getpid());
  fs::remove(aside, error);
  fs::create_symlink(to, aside, error);
  if (!error) fs::rename(aside, link, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(aside, ignored);
  fail_with_errno(link, "cannot be made", error.value());
}

// The folder of the run that a link names. A copy may have lost its links: then the newest folder
// with this id, or, without one, the newest of a training; evaluations extend its id.
std::string folder_before(const fs::path& link, const std::string& id) {
  if (const std::string name = linked(link); !name.empty()) return name;
  std::map<std::string, std::string> newest;  // by id
  for (auto& entry : fs::directory_iterator(link.parent_path())) {
    const std::string name = entry.path().filename().string(), its_id = id_in(name);
    if (!its_id.empty()) newest[its_id] = std::max(newest[its_id], name);
  }
  if (!id.empty()) return newest[id];
  std::string out;
  for (auto& [its_id, name] : newest) {
    bool extends = false;
    for (auto& [other, its_name] : newest) extends |= its_id.starts_with(other + "-");
    if (!extends) out = std::max(out, name);
  }
  return out;
}

double number_of(const Items& items, const char* name) {
  for (const Item& item : items) {
    if (item.name.size() != 1 || item.name[0] != name) continue;
    const konfig::Value value = konfig::parse_json(item.json);
    if (value.is<double>()) return value.as<double>();
    if (value.is<std::int64_t>()) return static_cast<double>(value.as<std::int64_t>());
  }
  return 0;
}

bool is_own(const std::string& name) { return name.starts_with("_") || name == kAxis; }

// The files that values name.
std::vector<std::string> files_in(const Items& items) {
  std::vector<std::string> out;
  for (const Item& item : items) {
    if (item.name.size() != 2 || item.name[1] != "filenames") continue;
    const konfig::Value files = konfig::parse_json(item.json);
    for (auto& file : files.as<konfig::List>()) out.push_back(file.as<std::string>());
  }
  return out;
}

// A copy, since the file itself is replaced when what can be read of it is written.
void keep_damaged(const fs::path& file, const std::string& problem) {
  const fs::path aside = name_for_damaged(file);
  std::error_code error;
  fs::copy_file(file, aside, error);
  if (error) fail_with_errno(aside, "cannot be written", error.value());
  print_line("warning: " + file.string() + ": damaged: " + problem + "; kept as " +
             aside.filename().string() + ", and a new file begins with what can be read");
}

bool same_run(const RunInfo& a, const RunInfo& b) {
  return a.id == b.id && a.entity == b.entity && a.project == b.project && a.name == b.name &&
         a.group == b.group && a.job_type == b.job_type && a.notes == b.notes && a.tags == b.tags &&
         a.config == b.config;
}

}  // namespace

std::shared_ptr<Run> Run::of(const fs::path& root, const RunInfo& info) {
  static std::mutex mutex;
  static std::map<fs::path, std::weak_ptr<Run>> runs;
  const std::scoped_lock lock(mutex);
  auto& found = runs[fs::absolute(root).lexically_normal()];
  std::shared_ptr<Run> run = found.lock();
  if (!run) found = run = std::make_shared<Run>(root, info);
  if (!same_run(run->given_, info)) {
    throw Error(ErrorKind::value, "writer",
                "another WandbWriter with other fields writes to " + (root / "wandb").string() +
                    "; give them the same fields, or one of them its own workdir");
  }
  return run;
}

Run::Run(fs::path root, RunInfo info)
    : root_(std::move(root)), info_(info), given_(std::move(info)) {
  agents_run_id();  // refuses a wrong one before anything is written
  try {
    if (!info_.id.empty()) check_wandb_id(info_.id);
  } catch (const Error& e) {
    throw e.within("writer.id");
  }
}

void Run::open(const std::string& collection, Before before) {
  const std::scoped_lock lock(mutex_);
  is_training_ |= collection == kTraining && folder_.empty();
  if (!before) return;
  before_[collection] = *before;
  // Opened late, by an evaluation in the midst of a run that was resumed.
  const auto last = highest_.find(collection);
  if (!folder_.empty() && last != highest_.end() && last->second >= *before) {
    write_file(kept_rows());
  }
}

void Run::set_config(std::vector<std::pair<std::string, std::string>> config) {
  const std::scoped_lock lock(mutex_);
  if (!given_.config.empty() || config.empty()) return;
  info_.config = std::move(config);
  if (folder_.empty()) {
    start(kTraining);
  } else {
    write_file(kept_rows());
  }
}

// Which run it is, and where. The link comes first: a process that is killed before the file is
// there has chosen the id all the same.
void Run::choose_folder(const std::string& collection) {
  const fs::path all = root_ / "wandb";
  std::error_code error;
  fs::create_directories(all, error);
  if (error) fail_with_errno(all, "cannot be made", error.value());
  info_.sweep_id = variable("WANDB_SWEEP_ID");
  if (const auto id = agents_run_id(); !id.empty()) info_.id = id;
  if (!info_.sweep_id.empty()) {
    if (auto entity = variable("WANDB_ENTITY"); !entity.empty()) info_.entity = entity;
    if (auto project = variable("WANDB_PROJECT"); !project.empty()) info_.project = project;
  }
  fs::path link = all / "latest-run";
  if (!is_training_) {
    const std::string trainings = info_.id.empty() ? id_in(folder_before(link, "")) : info_.id;
    if (info_.group.empty()) info_.group = trainings;
    if (info_.job_type.empty()) info_.job_type = collection;
    if (!trainings.empty()) info_.id = trainings + "-" + collection;
    link = all / ("latest-run-" + collection);
  }
  const std::string before =
      is_training_ || !info_.id.empty() ? folder_before(link, info_.id) : linked(link);
  const std::string old_id = id_in(before);
  if (!old_id.empty() && (info_.id.empty() || info_.id == old_id)) {
    info_.id = old_id;
    folder_ = all / before;
  } else {
    if (info_.id.empty()) info_.id = is_training_ ? new_id() : new_id() + "-" + collection;
    folder_ = all / folder_name(began_, info_.id);
  }
  set_link(link, folder_.filename());
  if (!info_.sweep_id.empty() && !info_.name.empty()) info_.name += "-" + info_.id;
  fs::create_directories(folder_ / "files", error);
  if (error) fail_with_errno(folder_, "cannot be made", error.value());
}

// Two processes would write into each other's blocks.
void Run::hold() {
  held_ = with_file_errors(
      [&] { return std::make_unique<base::File>(folder_, O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (::flock(held_->descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw Error(ErrorKind::value, "writer",
                folder_.string() + ": another process is writing this run of W&B; end it first");
  }
}

void Run::start(const std::string& collection) {
  began_ = wall_time();
  info_.start_time = began_;
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  info_.host = host;
  choose_folder(collection);
  hold();
  write_file(fs::exists(file()) ? kept_rows() : std::vector<Row>());
}

// The rows of the file that stay.
std::vector<Run::Row> Run::kept_rows() {
  std::vector<Row> out;
  const io::WandbLog log = io::read_wandb_log(io::map_file(file()));
  bool reached = false;  // the step that some collection goes on from
  for (const std::string& record : log.records) {
    if (const auto run = read_run(record, file())) {
      info_.start_time = run->start_time;
      if (info_.config.empty()) info_.config = run->config;
    }
    auto items = read_history(record, file());
    if (!items) continue;
    Row row{.collection = {},
            .step = static_cast<std::int64_t>(number_of(*items, kAxis)),
            .items = std::move(*items)};
    const double runtime = number_of(row.items, "_runtime");
    bool again = false;
    for (const Item& item : row.items) {
      if (is_own(item.name[0])) continue;
      for (auto& [collection, before] : before_) {
        if (!item.name[0].starts_with(collection + "/")) continue;
        again |= row.step >= before;
        reached |= row.step + 1 >= before;
      }
      if (row.collection.empty()) row.collection = item.name[0].substr(0, item.name[0].find('/'));
    }
    if (again) {
      for (const std::string& media : files_in(row.items)) {
        std::error_code gone;
        fs::remove(folder_ / "files" / media, gone);
      }
      continue;
    }
    if (log_ == nullptr) runtime_before_ = runtime;
    std::erase_if(row.items, [](auto& item) { return item.name[0] == "_step"; });
    out.push_back(std::move(row));
  }
  // A kill tears a row of a step that comes again. A tear before that has taken rows that do not.
  if (!log.problem.empty() && !(log.is_torn && reached)) keep_damaged(file(), log.problem);
  return out;
}

// The whole file: who the run is, and these rows.
void Run::write_file(const std::vector<Row>& rows) {
  num_ = rows_ = 0;
  known_.clear();
  highest_.clear();
  std::string out = io::wandb_log_head();
  size_ = 0;
  for (const std::string& record :
       {header_record(next_num()), run_record(next_num(), info_), axis_record(next_num(), kAxis)}) {
    out += io::wandb_log_frame(out.size(), record);
  }
  for (const Row& row : rows) {
    out = framed(std::move(out), row.items);
    auto& highest = highest_[row.collection];
    highest = std::max(highest, row.step);
  }
  log_.reset();
  replace_file(file(), out);
  std::error_code none;
  fs::remove(file().string() + ".synced", none);  // W&B's sign that there is nothing to upload
  log_ = with_file_errors(
      [&] { return std::make_unique<base::File>(file(), O_WRONLY | O_APPEND | O_CLOEXEC); });
  size_ = out.size();
  before_.clear();  // what is logged from now on stays
}

std::string Run::framed(std::string out, const Items& items) {
  auto add = [&](const std::string& record) {
    out += io::wandb_log_frame(size_ + out.size(), record);
  };
  const Item row{{"_step"}, std::to_string(rows_)};
  if (const auto files = files_in(items); !files.empty()) add(files_record(next_num(), files));
  for (const Item& item : items) {
    if (!is_own(item.name[0]) && known_.insert(item.name[0]).second) {
      add(metric_record(next_num(), item.name[0], kAxis));
    }
  }
  Items all = items;
  all.push_back(row);
  // What W&B shows for the whole run: the latest value of each name.
  add(summary_record(next_num(), all));
  add(history_record(next_num(), rows_++, all));
  return out;
}

void Run::append(const std::string& bytes) {
  try {
    with_file_errors([&] { log_->write(bytes); });
  } catch (const FileError&) {
    // Half a record would hide those behind it.
    [[maybe_unused]] const int ignored = ::ftruncate(log_->descriptor(), static_cast<off_t>(size_));
    throw;
  }
  size_ += bytes.size();
}

double Run::runtime() const { return runtime_before_ + wall_time() - began_; }

void Run::log(const std::string& collection, std::int64_t step, const Values& values) {
  const std::scoped_lock lock(mutex_);
  if (folder_.empty()) start(collection);
  for (auto& [name, content] : values.files) {
    const fs::path media = folder_ / "files" / name;
    std::error_code error;
    fs::create_directories(media.parent_path(), error);
    if (error) fail_with_errno(media.parent_path(), "cannot be made", error.value());
    with_file_errors([&, &bytes = content] {
      base::File(media, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC).write(bytes);
    });
  }
  Items items{{{kAxis}, std::to_string(step)}};
  items.insert(items.end(), values.items.begin(), values.items.end());
  items.push_back({{"_timestamp"}, konfig::to_json(wall_time())});
  items.push_back({{"_runtime"}, konfig::to_json(runtime())});
  append(framed({}, items));
  auto& highest = highest_[collection];
  highest = std::max(highest, step);
}

Run::~Run() {
  if (folder_.empty() || !log_) return;
  const int code = finished_ ? kFine : std::uncaught_exceptions() > 0 ? kFailed : kInterrupted;
  try {
    append(io::wandb_log_frame(
        size_, exit_record(next_num(), code, static_cast<std::int64_t>(runtime()))));
    print_line("W&B: upload this run with: wandb sync " + base::shell_quote(folder_.string()));
  } catch (const std::exception& e) {
    print_line(std::string("note: the end of the run is missing for W&B: ") + e.what());
  }
}

}  // namespace kd::writers::wandb
