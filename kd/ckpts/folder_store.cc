// The checkpoints of a run as folders.
#include "base/clock.h"
#include "base/number_in.h"
#include "kd/ckpts/folder_store_impl.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <thread>

#include "base/join.h"
#include "base/whole_folder.h"
#include "kd/ckpts/files_impl.h"
#include "kd/ckpts/retention_impl.h"
#include "kd/core/damaged.h"
#include "kd/core/durable.h"
#include "kd/core/ops.h"

namespace kd::ckpts {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

constexpr std::string_view kPrefix = "ckpt_";

std::optional<std::int64_t> step_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (!name.starts_with(kPrefix)) return {};
  return base::number_in<std::int64_t>(name.substr(kPrefix.size()));
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    out.push_back(it->path());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    fail_with_errno(folder, "cannot be read", error.value());
  }
  return out;
}

std::vector<std::int64_t> steps_in(const fs::path& folder) {
  std::vector<std::int64_t> steps;
  for (const fs::path& entry : entries_of(folder)) {
    auto step = step_of(entry);
    if (step && fs::exists(entry / kManifest)) steps.push_back(*step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

void remove_folder(const fs::path& folder) {
  with_file_errors([&] { base::remove_folder(folder); });
}

void warn(const std::string& text) { std::fprintf(stderr, "warning: %s\n", text.c_str()); }

void write_folder(const fs::path& folder, const Snapshot& snapshot, const Info& info) {
  const fs::path target = step_folder(folder, info.step);
  auto fill = [&](const fs::path& aside) {
    write_checkpoint(aside, snapshot, info);
    // A checkpoint that somebody copied in part is none.
    if (fs::is_directory(target) && !fs::exists(target / kManifest)) {
      warn(target.string() + ": not a whole checkpoint, it has no " + std::string(kManifest) +
           "; kept as " + set_aside(target).filename().string());
    }
  };
  with_file_errors([&] { base::write_folder(target, fill, {.mode = 0770}); });
}

}  // namespace

std::string FolderStore::place_of(std::int64_t step) const {
  return step_folder(folder_, step).string();
}

fs::path step_folder(const fs::path& folder, std::int64_t step) {
  return folder / (std::string(kPrefix) + std::to_string(step));
}

FolderStore::FolderStore(const Checkpointer& options, const fs::path& workdir, bool read_only)
    : options_(options), read_only_(read_only) {
  const fs::path base = options_.own_folder().value_or(workdir);
  if (base.empty()) {
    throw Error(ErrorKind::value, "workdir", "checkpoints need a folder; set --cfg.workdir=...");
  }
  folder_ = base / "checkpoints";
  if (read_only_) return;
  if (!options_.create && !fs::exists(folder_)) {
    throw Error(ErrorKind::value, "checkpointer.create",
                "the folder " + folder_.string() + " does not exist, and is not to be made");
  }
  for (const fs::path& entry : entries_of(folder_)) {
    std::error_code ignored;
    if (base::leftover_of(entry).starts_with(kPrefix)) fs::remove_all(entry, ignored);
  }
  scan();
}

FolderStore::~FolderStore() {
  try {
    wait_until_finished();
  } catch (const std::exception& error) {
    warn(error.what());
  }
}

void FolderStore::scan() {
  infos_.clear();
  for (std::int64_t step : steps_in(folder_)) {
    Info info{.step = step};
    try {
      info = read_info(step_folder(folder_, step));
    } catch (const Damaged&) {
      // It counts as a checkpoint until somebody restores it and is told.
    } catch (const FileError&) {
      // The same; it may be read later.
    }
    info.step = step;
    infos_.push_back(std::move(info));
  }
}

std::vector<std::int64_t> FolderStore::all_steps() const {
  if (read_only_) return steps_in(folder_);
  std::vector<std::int64_t> steps;
  for (const Info& info : infos_) steps.push_back(info.step);
  return steps;
}

std::optional<std::int64_t> FolderStore::latest_step() const {
  if (read_only_) return Store::latest_step();
  return infos_.empty() ? std::optional<std::int64_t>() : infos_.back().step;
}

bool FolderStore::should_save(std::int64_t step) const {
  if (read_only_) return false;
  if (step == 0 && options_.never_save_step_zero) return false;
  const auto latest = latest_step();
  if (!latest) return true;
  if (step <= *latest) return false;
  const auto& more = options_.save_on_steps;
  return step % *options_.save_interval_steps == 0 ||
         std::find(more.begin(), more.end(), step) != more.end();
}

void FolderStore::save(std::int64_t step, const Snapshot& snapshot, const Value& metrics,
                       bool keep) {
  if (read_only_) {
    throw Error(ErrorKind::unsupported, folder_.string() + ": opened to be read only");
  }
  wait_until_finished();
  if (std::any_of(infos_.begin(), infos_.end(), [&](auto& i) { return i.step == step; })) {
    throw Error(ErrorKind::value, step_folder(folder_, step).string() +
                                      ": exists already; remove it, or choose another folder");
  }
  const bool with_metrics = options_.best_metric_path || options_.preservation_policy;
  Info info{.step = step, .time = base::now(), .metrics = with_metrics ? metrics : Value()};
  before_ = infos_;
  auto place = std::upper_bound(infos_.begin(), infos_.end(), step,
                                [](std::int64_t s, const Info& i) { return s < i.step; });
  infos_.insert(place, info);
  std::vector<std::int64_t> doomed;
  try {
    const std::vector<bool> stays = kept(options_, infos_);
    std::vector<Info> left;
    for (std::size_t i = 0; i < infos_.size(); ++i) {
      if (stays[i] || (keep && infos_[i].step == step)) {
        left.push_back(infos_[i]);
      } else {
        doomed.push_back(infos_[i].step);
      }
    }
    infos_ = std::move(left);
  } catch (...) {
    infos_ = before_;
    throw;
  }
  // The caller goes on changing its tensors.
  Snapshot copy = snapshot;
  copy.state = map(snapshot.state, [](const Tensor& t) { return t.detach().cpu().clone(); });
  pending_ = std::async(std::launch::async, [this, info, doomed, copy = std::move(copy)] {
    // One that is not among the best is not written at all.
    const bool stays = std::find(doomed.begin(), doomed.end(), info.step) == doomed.end();
    if (stays) write(copy, info);
    for (std::int64_t old : doomed) remove_folder(step_folder(folder_, old));
  });
}

void FolderStore::write(const Snapshot& snapshot, const Info& info) const {
  constexpr int kMoreAttempts = 3;
  for (int attempt = 0;; ++attempt) {
    try {
      std::error_code error;
      fs::create_directories(folder_, error);
      if (error) fail_with_errno(folder_, "cannot be made", error.value());
      return write_folder(folder_, snapshot, info);
    } catch (const FileError& error) {
      if (error.disk_is_full() || attempt == kMoreAttempts) throw;
      warn("the checkpoint of step " + std::to_string(info.step) +
           " was not saved, trying again: " + error.what());
    }
    wait_between_attempts();
  }
}

// What a file server does not answer now, it may answer later.
Snapshot FolderStore::read(std::int64_t step) const {
  constexpr int kMoreAttempts = 5;
  for (int attempt = 0;; ++attempt) {
    try {
      return read_checkpoint(step_folder(folder_, step));
    } catch (const FileError& error) {
      if (error.error() == EACCES || attempt == kMoreAttempts) throw;
      warn("the checkpoint of step " + std::to_string(step) +
           " was not read, trying again: " + error.what());
    }
    wait_between_attempts();
  }
}

void FolderStore::wait_between_attempts() const {
  if (between_attempts_) return between_attempts_();
  std::this_thread::sleep_for(std::chrono::seconds(5));
}

void FolderStore::wait_until_finished() {
  if (!pending_.valid()) return;
  try {
    pending_.get();
  } catch (const std::exception& error) {
    infos_ = before_;
    const std::string text = "the checkpoint was not saved: " + std::string(error.what());
    if (options_.on_save_error == OnSaveError::continue_) return warn(text);
    throw Error(ErrorKind::value,
                text + (infos_.empty() ? ""
                                       : "\nThe one of step " + std::to_string(infos_.back().step) +
                                             " is still there."));
  }
}

void FolderStore::check_saved() {
  const auto now = std::chrono::seconds(0);
  if (pending_.valid() && pending_.wait_for(now) == std::future_status::ready)
    wait_until_finished();
}

Snapshot FolderStore::restore(std::optional<std::int64_t> step) {
  wait_until_finished();
  std::vector<std::int64_t> steps = all_steps();
  if (steps.empty()) {
    throw Error(ErrorKind::key, folder_.string() + ": there is no checkpoint" + foreign_advice());
  }
  if (step && std::find(steps.begin(), steps.end(), *step) == steps.end()) {
    throw Error(ErrorKind::key, folder_.string() + ": there is no checkpoint of step " +
                                    std::to_string(*step) +
                                    "; there are: " + base::join(steps, ", "));
  }
  if (step || options_.on_damaged == OnDamaged::error) return read_or_explain(steps, step);
  std::vector<Damaged> found;  // of the newest ones
  for (; !steps.empty(); steps.pop_back()) {
    try {
      Snapshot out = read(steps.back());
      pass_over(found, out.step);
      return out;
    } catch (const Damaged& damage) {
      found.push_back(damage);
    }
  }
  throw Error(ErrorKind::value,
              folder_.string() + ": all checkpoints are damaged:\n  " +
                  base::join(found, "\n  ", [](auto& damage) { return damage.what(); }) + "\n" +
                  advice());
}

// One checkpoint, and what to do if it is damaged.
Snapshot FolderStore::read_or_explain(const std::vector<std::int64_t>& steps,
                                      std::optional<std::int64_t> step) const {
  try {
    return read(step.value_or(steps.back()));
  } catch (const Damaged& damage) {
    std::string more;
    if (!step && steps.size() > 1) {
      more = "; with checkpointer.on_damaged=previous the one of step " +
             std::to_string(steps[steps.size() - 2]) + " is used";
    } else if (!step) {
      more = ". " + advice();
    }
    throw Error(damage.kind(), damage.what() + more);
  }
}

// Of checkpoints that Orbax wrote.
std::string FolderStore::foreign_advice() const {
  for (const fs::path& entry : entries_of(folder_)) {
    if (step_of(entry) && fs::exists(entry / "_CHECKPOINT_METADATA")) {
      return " that this program wrote; Kauldron's become readable with: kd ckpt import " +
             entry.string() + " WORKDIR";
    }
  }
  return "";
}

std::string FolderStore::advice() const {
  return "Nothing was changed." + (read_only_ ? std::string()
                                              : " To start over, train into another folder "
                                                "(--cfg.workdir=DIR), or remove " +
                                                    folder_.string());
}

// Damaged ones are no checkpoints any more: the run will save their steps again.
void FolderStore::pass_over(const std::vector<Damaged>& found, std::int64_t step) {
  for (const Damaged& damage : found) {
    std::string text = damage.what();
    if (!read_only_) {
      const fs::path aside = set_aside(step_folder(folder_, infos_.back().step));
      infos_.pop_back();
      text += "; kept as " + aside.filename().string();
    }
    warn(text + "; going on from step " + std::to_string(step));
  }
}

void FolderStore::remove(std::int64_t step) {
  wait_until_finished();
  remove_folder(step_folder(folder_, step));
  std::erase_if(infos_, [&](const Info& info) { return info.step == step; });
}

std::optional<fs::path> Checkpointer::own_folder() const {
  if (!workdir.is_given() || !workdir.value()) return {};
  return fs::path(*workdir.value());
}

Poly<Checkpoints> Checkpointer::moved_to(const fs::path& folder, std::optional<int> most) const {
  Checkpointer out = *this;
  out.workdir = std::optional(folder.string());
  if (most) out.max_to_keep = most;
  return out;
}

std::unique_ptr<Store> Checkpointer::open(const fs::path& run, bool read_only) const {
  return std::make_unique<FolderStore>(*this, run, read_only);
}

}  // namespace kd::ckpts
