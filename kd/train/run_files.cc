// Records of a run.
#include "kd/train/run_files_impl.h"

#include "kd/train/train.h"
#include "kd/tree/durable.h"
#include "kd/tree/ops.h"
#include "kd/tree/safetensors.h"
#include "kd/writers/run_files.h"
#include "konfig/error.h"
#include "konfig/json.h"

namespace kd::train {

using konfig::Dict;

std::optional<std::int64_t> batch_size_of(const Tree& spec) {
  for (const Tensor& tensor : leaves(spec)) {
    if (tensor.dim() > 0) return tensor.size(0);
  }
  return {};
}

namespace {

// "metrics/norms/kernel" becomes {"norms": {"kernel": ...}}.
void set_nested(Dict& out, std::string_view name, double value) {
  const auto slash = name.find('/');
  if (slash == name.npos) {
    out.set(std::string(name), value);
    return;
  }
  const std::string head(name.substr(0, slash));
  Dict inner;
  if (auto* found = out.find(head); found && found->is<Dict>()) inner = found->as<Dict>();
  set_nested(inner, name.substr(slash + 1), value);
  out.set(head, inner);
}

}  // namespace

Dict metrics_of(const AuxValues& values) {
  Dict out;
  for (auto& [name, value] : values.losses) set_nested(out, name, value);
  constexpr std::string_view kMetrics = "metrics/";
  for (auto& [name, value] : values.metrics) {
    set_nested(out, std::string_view(name).substr(kMetrics.size()), value);
  }
  return out;
}

TrainState restored_from(const std::filesystem::path& checkpoint, const TrainState& state,
                         const Tree& saved) {
  try {
    return restored(state, saved);
  } catch (const konfig::Error& e) {
    throw konfig::Error(e.kind(), "workdir",
                        checkpoint.string() + " does not fit this config. " +
                            (e.path().empty() ? "" : e.path() + ": ") + e.message() +
                            "\nAnother folder starts a new run: --cfg.workdir=runs/my_run");
  }
}

writers::Record record_of(std::int64_t step, const AuxValues& values,
                          std::vector<std::pair<std::string, double>> more) {
  writers::Record record{.step = step};
  record.scalars = values.losses;
  record.scalars.insert(record.scalars.end(), values.metrics.begin(), values.metrics.end());
  for (auto& scalar : more) record.scalars.push_back(std::move(scalar));
  for (auto& [name, value] : values.summaries) writers::add_summary(record, name, value);
  return record;
}

std::string save_bad_batch(const std::filesystem::path& workdir, std::int64_t step,
                           const Tree& batch, const std::vector<data::RecordId>& records) {
  const auto base = workdir / ("bad_batch_" + std::to_string(step));
  TensorMap tensors;
  for (auto& [path, tensor] : flatten(batch)) tensors.emplace(path, tensor);
  save_safetensors(base.string() + ".safetensors", tensors);
  konfig::List ids;
  for (auto& id : records) ids.push_back(Dict{{"source", id.source}, {"record", id.record}});
  replace_file(base.string() + ".json",
               konfig::to_json(Dict{{"step", step}, {"records", ids}}) + "\n");
  return "; the batch is in " + base.string() + ".safetensors, the numbers of its records in " +
         base.string() + ".json";
}

}  // namespace kd::train
