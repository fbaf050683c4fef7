// What `kd data` calls.
#include "kd/inspect/data_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "kd/data/engine/batch.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/engine/profile.h"
#include "kd/inspect/engine/data_grid.h"
#include "kd/inspect/engine/data_stats.h"
#include "kd/inspect/engine/dataset_at.h"
#include "kd/inspect/late_progress.h"
#include "konfig/error.h"

namespace kd::inspect {

namespace {

using konfig::ConfigDict;

// Of a dataset without an end.
constexpr std::int64_t kUsualBatches = 256;

std::int64_t rows_of(const Tree& tree) {
  if (tree.is_tensor()) return tree.tensor().dim() > 0 ? tree.tensor().size(0) : 1;
  if (tree.kind() == Tree::Kind::texts) return static_cast<std::int64_t>(tree.texts().size());
  return tree.empty() ? 1 : rows_of(tree.child(0));
}

std::string skipped_text(std::int64_t before) {
  const std::int64_t skipped = data::skipped_records() - before;
  return skipped == 0 ? ""
                      : fmt::format("{} records could not be read and were left out\n", skipped);
}

}  // namespace

std::string show_spec(const ConfigDict& config, const DataOptions& options) {
  const data::Dataset dataset = dataset_at(config, options.ds);
  const std::string length =
      dataset.is_infinite() ? "no end" : fmt::format("{} batches", dataset.size());
  return data::spec_text(dataset.element_spec()) + length + "\n";
}

std::string show_stats(const ConfigDict& config, const DataOptions& options) {
  const data::Dataset dataset = dataset_at(config, options.ds);
  const std::int64_t usual = dataset.is_infinite() ? kUsualBatches : dataset.size();
  const std::int64_t skipped = data::skipped_records();
  const std::string out = stats_text(data_stats(dataset, options.batches.value_or(usual)));
  return out + skipped_text(skipped);
}

Picture show_images(const ConfigDict& config, const DataOptions& options) {
  return data_grid(dataset_at(config, options.ds), options.n, options.key, options.label);
}

namespace {

struct Measured {
  double seconds = 0;
  std::int64_t batches = 0, records = 0;
};

// From the beginning again where the dataset ends.
Measured measure(const data::Dataset& dataset, const DataOptions& options) {
  using Clock = std::chrono::steady_clock;
  const std::int64_t wanted = options.batches.value_or(data::kForever);
  data::Iterator it = dataset.iterate();
  if (!it.next()) throw konfig::Error(konfig::ErrorKind::value, "the dataset is empty");
  LateProgress progress(options.batches.value_or(0), "bench");
  Measured out;
  data::start_profile();
  const auto begin = Clock::now();
  while (out.batches < wanted && (options.batches || out.seconds < options.seconds)) {
    auto batch = it.next();
    if (!batch) {
      it = dataset.iterate();
      continue;
    }
    ++out.batches;
    out.records += rows_of(*batch);
    out.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    progress.update(out.batches);
  }
  return out;
}

}  // namespace

std::string show_speed(const ConfigDict& config, const DataOptions& options) {
  const data::Dataset dataset = dataset_at(config, options.ds);
  const std::int64_t skipped = data::skipped_records();
  const Measured measured = measure(dataset, options);
  const auto parts = data::stop_profile();
  const double rate = static_cast<double>(measured.batches) / measured.seconds;
  std::string out = fmt::format("{:.0f} batches/s, {:.0f} records/s ({} batches in {:.2f} s)\n",
                                rate, static_cast<double>(measured.records) / measured.seconds,
                                measured.batches, measured.seconds);
  double all = 0;
  for (auto& part : parts) all += part.seconds;
  for (auto& part : parts) {
    out += fmt::format("  {:5.1f} %  {:9.4f} ms a batch  {}\n", 100 * part.seconds / all,
                       1000 * part.seconds / static_cast<double>(measured.batches), part.name);
  }
  return out + skipped_text(skipped);
}

}  // namespace kd::inspect
