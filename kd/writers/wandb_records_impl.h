// The messages in a file of W&B (wandb_internal.proto), as far as a run needs them. Library only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kd::writers::wandb {

// Who a run is.
struct RunInfo {
  std::string id, entity, project, name, group, job_type, notes, sweep_id, host;
  std::vector<std::string> tags = {};
  double start_time = 0;                                         // seconds since 1970
  std::vector<std::pair<std::string, std::string>> config = {};  // flat names and JSON
};

// A value with its name. Values of several parts, such as histograms, have a name for each:
// {"train/weights", "bins"}.
struct Item {
  std::vector<std::string> name;
  std::string json;
};
using Items = std::vector<Item>;

// Each is one record; `num` counts all of them from 1.
std::string header_record(std::int64_t num);
std::string run_record(std::int64_t num, const RunInfo& run);
// The x-axis of all other values, not drawn itself.
std::string axis_record(std::int64_t num, const std::string& axis);
// The x-axis of one value.
std::string metric_record(std::int64_t num, const std::string& name, const std::string& axis);
std::string files_record(std::int64_t num, const std::vector<std::string>& files);
std::string history_record(std::int64_t num, std::int64_t row, const Items& items);
std::string summary_record(std::int64_t num, const Items& items);
std::string exit_record(std::int64_t num, int code, std::int64_t seconds);

// What a record of these kinds holds; none if it is of another kind. An Error when it is damaged.
std::optional<RunInfo> read_run(std::string_view record, const std::string& file);
std::optional<Items> read_history(std::string_view record, const std::string& file);

}  // namespace kd::writers::wandb
