// Arrays of Zarr stores, versions 2 and 3: metadata in JSON, and chunks.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kd/io/file.h"

namespace kd::io {

// The value of a key of the store, such as "params.kernel/.zarray"; none where there is none.
using ZarrStore = std::function<std::optional<Bytes>(const std::string& key)>;

// An array in the memory of the CPU. A chunk that is not there holds the fill value. Chunks may be
// packed by zstd or gzip; an Error names any other packing.
Tensor read_zarr(const ZarrStore& store, const std::string& name);

}  // namespace kd::io
