// Folders that TFDS prepared: dataset_info.json, features.json and files of records.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kd/data/engine/records.h"
#include "kd/data/sources/splits.h"

namespace kd::data {

struct TfdsInfo {
  std::string name;         // "mnist"
  std::string file_format;  // "tfrecord" or "array_record"
  std::vector<SplitInfo> splits;
  std::vector<std::string> templates;  // of the names of each split's files
};
TfdsInfo read_tfds_info(const std::string& folder);

// The records of a split; `features` chooses some of them, none: all.
RecordsPtr open_tfds(const std::string& folder, const std::string& split,
                     const std::vector<std::string>& features = {});

// The folder of a dataset below `data_dir`: data_dir/mnist/3.0.1 for "mnist", "mnist:3.*.*" or
// "mnist:3.0.1", data_dir/name/config/1.0.0 for "name/config". None when there is none.
std::optional<std::string> find_tfds(const std::string& data_dir, const std::string& name);

// Parts of other records, one behind the other.
RecordsPtr joined_ranges(std::vector<RecordsPtr> splits, std::vector<SplitRange> ranges);

}  // namespace kd::data
