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

void Manager::save(std::int64_t step, const Snapshot& snapshot, const Value& metrics, bool keep) {
  if (store_) store_->save(step, snapshot, metrics, keep);
}

void Manager::wait_until_finished() {
  if (store_) store_->wait_until_finished();
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
