// What runs measured: the files metrics.jsonl in the folders of their collections.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
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

// The lines of a file of records, as far as they are whole: a run that is still going may have half
// a last one. Others that are no record, such as those that a killed run left, are passed over.
class RecordLines {
 public:
  using Take = std::function<void(std::int64_t step, const konfig::Dict& scalars)>;
  void read(std::string_view text, const Take& take);
  // "line 2 is no record and left out: ..."; "" if all were read.
  std::string problem() const;

 private:
  std::size_t line_ = 0, bad_ = 0, first_ = 0;
  std::string why_;
};

// The last number of each key, and the step of the last record.
struct LastMetrics {
  std::int64_t step = 0;
  std::map<std::string, double> values;  // by "losses/total"
  std::string problem = {};              // about lines that are no records
};
// Of a long file only the beginning and the end are read; all of it if they differ in their keys.
LastMetrics last_metrics(const std::filesystem::path& file);

double number_of(const konfig::Value& value);  // NaN for what is no number
// Whether one of these patterns fits: "losses/*".
bool fits_any(const std::string& name, const std::vector<std::string>& patterns);

// Of names with their collection, "eval/losses/total".
std::string without_collection(const std::string& name);
bool fits_metric(const std::string& name, const std::vector<std::string>& patterns);
// Those that fit, with or without the collection. Without patterns losses and metrics; of runs that
// name their numbers by themselves, as `kd run` does, all but speeds and schedules.
std::set<std::string> chosen_metrics(const std::set<std::string>& names,
                                     const std::vector<std::string>& patterns);

}  // namespace cli
