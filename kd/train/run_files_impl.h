// Files and records of a run, beside those of writers and checkpoints. Library only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "kd/data/dataset.h"
#include "kd/train/auxiliaries.h"
#include "konfig/value.h"

namespace kd::train {

inline constexpr const char* kCompleteFile = "train_complete.txt";

// The examples of a batch, by its first tensor.
std::optional<std::int64_t> batch_size_of(const Tree& spec);

// {"accuracy": 0.9, "losses": {"total": 0.1}}, for the choice of the best checkpoint.
konfig::Dict metrics_of(const AuxValues& values);

// Keeps the batch and which records it was made of, to look at or to run again. Gives the end of a
// message.
std::string save_bad_batch(const std::filesystem::path& workdir, std::int64_t step,
                           const Tree& batch, const std::vector<data::RecordId>& records);

}  // namespace kd::train
