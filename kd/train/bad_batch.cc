// The batch whose loss was not a number.
#include "kd/train/bad_batch_impl.h"

#include "kd/core/durable.h"
#include "kd/core/ops.h"
#include "kd/io/safetensors.h"
#include "konfig/json.h"

namespace kd::train {

using konfig::Dict;

std::string save_bad_batch(const std::filesystem::path& workdir, std::int64_t step,
                           const Tree& batch, const std::vector<data::RecordId>& records) {
  const auto base = workdir / ("bad_batch_" + std::to_string(step));
  io::TensorMap tensors;
  for (auto& [path, tensor] : flatten(batch)) tensors.emplace(path, tensor);
  io::save_safetensors(base.string() + ".safetensors", tensors);
  konfig::List ids;
  for (auto& id : records) ids.push_back(Dict{{"source", id.source}, {"record", id.record}});
  replace_file(base.string() + ".json",
               konfig::to_json(Dict{{"step", step}, {"records", ids}}) + "\n");
  return "; the batch is in " + base.string() + ".safetensors, the numbers of its records in " +
         base.string() + ".json";
}

}  // namespace kd::train
