// The checkpoints of a run, wherever they are kept.
#include "kd/ckpts/engine/manager.h"

#include "konfig/error.h"

namespace kd::ckpts {

using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

std::optional<std::int64_t> Store::latest_step() const {
  const std::vector<std::int64_t> steps = all_steps();
  return steps.empty() ? std::optional<std::int64_t>() : steps.back();
}

std::string Store::place_of(std::int64_t step) const {
  return "the checkpoint of step " + std::to_string(step);
}

std::unique_ptr<Store> NoopCheckpointer::open(const std::filesystem::path&, bool) const {
  return nullptr;
}

std::optional<std::filesystem::path> own_folder(const Poly<Checkpoints>& checkpoints) {
  auto get = checkpoints ? ops_of(checkpoints).own_folder : nullptr;
  return get ? get(checkpoints.object().get()) : std::nullopt;
}

Poly<Checkpoints> moved_to(const Poly<Checkpoints>& checkpoints,
                           const std::filesystem::path& folder, std::optional<int> most) {
  auto move = checkpoints ? ops_of(checkpoints).moved_to : nullptr;
  return move ? move(checkpoints.object().get(), folder, most) : checkpoints;
}

std::optional<BestMetric> best_metric(const Poly<Checkpoints>& checkpoints,
                                      std::int64_t last_step) {
  auto get = checkpoints ? ops_of(checkpoints).best_metric : nullptr;
  return get ? get(checkpoints.object().get(), last_step) : std::nullopt;
}

Manager::Manager(const Poly<Checkpoints>& options, const std::filesystem::path& workdir,
                 bool read_only) {
  if (options) store_ = ops_of(options).open(options.object().get(), workdir, read_only);
}

std::vector<std::int64_t> Manager::all_steps() const {
  return store_ ? store_->all_steps() : std::vector<std::int64_t>();
}

std::optional<std::int64_t> Manager::latest_step() const {
  return store_ ? store_->latest_step() : std::optional<std::int64_t>();
}

bool Manager::should_save(std::int64_t step) const { return store_ && store_->should_save(step); }

bool Manager::should_save_in_epoch(const Place& place) const {
  return store_ && store_->should_save_in_epoch(place);
}

void Manager::save(std::int64_t step, const Snapshot& snapshot, const Value& metrics, bool keep) {
  if (store_) store_->save(step, snapshot, metrics, keep);
}

void Manager::wait_until_finished() {
  if (store_) store_->wait_until_finished();
}

void Manager::check_saved() {
  if (store_) store_->check_saved();
}

Snapshot Manager::restore(std::optional<std::int64_t> step) {
  if (!store_) throw Error(ErrorKind::key, "the checkpointer saves nothing");
  return store_->restore(step);
}

void Manager::remove(std::int64_t step) {
  if (store_) store_->remove(step);
}

std::string Manager::place_of(std::int64_t step) const {
  return store_ ? store_->place_of(step) : std::string();
}

}  // namespace kd::ckpts
