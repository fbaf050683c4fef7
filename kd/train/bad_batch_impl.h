// The batch whose loss was not a number, kept to look at or to run again. Library only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kd/core/tree.h"
#include "kd/data/engine/dataset.h"

namespace kd::train {

// Writes the batch, and which records it was made of. Gives the end of a message.
std::string save_bad_batch(const std::filesystem::path& workdir, std::int64_t step,
                           const Tree& batch, const std::vector<data::RecordId>& records);

}  // namespace kd::train
