// Datasets of any kind.
#include "kd/data/engine/dataset.h"

#include <filesystem>

#include "kd/core/durable.h"
#include "kd/data/engine/batch.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"
#include "konfig/json.h"

namespace kd::data {

Tree DatasetImpl::element_spec() const {
  auto batch = iterate()->next();
  if (!batch)
    throw Error(ErrorKind::value,
                "it has no batch: no records are left, or fewer than a batch needs (batch_size; "
                "drop_remainder=False keeps what is left over)");
  return spec_of(*batch);
}

Tree DatasetImpl::at(std::int64_t) const {
  throw Error(ErrorKind::unsupported, "this dataset is read from the beginning only, not by index");
}

// The reference's layout, byte for byte.
std::string Iterator::state() const { return konfig::to_json(impl_->state(), {.indent = 4}); }

void Iterator::restore(const konfig::Value& state) {
  auto* text = state.get_if<std::string>();
  impl_->restore(text ? konfig::parse_json(*text) : state);
}

std::int64_t Dataset::size() const {
  if (auto size = impl_->size()) return *size;
  throw Error(ErrorKind::type, "the dataset goes on for ever and has no size; set num_epochs");
}

namespace {

std::filesystem::path state_path(const std::string& folder, const Process& process) {
  return std::filesystem::path(folder) / ("process_" + std::to_string(process.index) + "-of-" +
                                          std::to_string(process.count) + ".json");
}

}  // namespace

void save_state(const Iterator& it, const std::string& folder, const Process& process) {
  std::filesystem::create_directories(folder);
  replace_file(state_path(folder, process), it.state());
}

void restore_state(Iterator& it, const std::string& folder, const Process& process) {
  const auto path = state_path(folder, process);
  const auto text = base::try_read_file(path);
  if (!text) {
    throw Error(ErrorKind::value,
                path.string() + ": cannot be read; was it saved by as many processes?");
  }
  try {
    it.restore(*text);
  } catch (const Error& e) {
    throw Error(e.kind(), path.string() + ": " + e.what());
  }
}

}  // namespace kd::data
