// Parameters of other programs as trees: PyTorch's safetensors, Flax's msgpack, and the checkpoints
// of Kauldron, which Orbax writes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "kd/core/tree.h"
#include "kd/io/safetensors.h"

namespace kd::ckpts {

// A state dict of PyTorch as {params, collections}, with Flax's names and layouts: `weight` becomes
// `kernel` (2 axes: turned around; 4 axes: from OIHW to HWIO), `scale` (1 axis) or, below a name
// with "embed", `embedding`; running_mean and running_var become mean and var of the collection
// batch_stats; "layers.0" becomes "layers_0". num_batches_tracked is left out.
Tree from_torch(const io::TensorMap& tensors);
// The names as they are, split at points.
Tree from_names(const io::TensorMap& tensors);

// The bytes of flax.serialization.to_bytes. `name` is for messages.
Tree from_flax(std::string_view bytes, const std::string& name);

// A checkpoint's folder, such as checkpoints/ckpt_500, or that of its state within.
Tree from_orbax(const std::filesystem::path& folder);
bool is_orbax(const std::filesystem::path& folder);

}  // namespace kd::ckpts
