// What runs measured: the files metrics.jsonl in the folders of their collections.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "konfig/value.h"

namespace cli {

struct MetricsFile {
  std::string collection;  // "train"
  std::filesystem::path file;
};
// By collection. `error` says why the folder cannot be read.
std::vector<MetricsFile> metrics_files(const std::filesystem::path& workdir,
                                       std::error_code& error);

// The last number of each key, and the step of the last record.
struct LastMetrics {
  std::int64_t step = 0;
  std::map<std::string, double> values;  // by "losses/total"
};
// Of a long file only the beginning and the end are read; all of it if they differ in their keys.
LastMetrics last_metrics(const std::filesystem::path& file);

double number_of(const konfig::Value& value);  // NaN for what is no number
// Whether one of these patterns fits: "losses/*".
bool fits_any(const std::string& name, const std::vector<std::string>& patterns);

}  // namespace cli
