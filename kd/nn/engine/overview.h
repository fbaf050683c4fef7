// Parameters as a table: names, shapes, types and sizes, as the reference's logs show them.
//
//  +----------------+------------+---------+---------+
//  | Name           | Shape      | Dtype   | Size    |
//  +----------------+------------+---------+---------+
//  | Dense_0/bias   | (128,)     | float32 | 128     |
//  | Dense_0/kernel | (784, 128) | float32 | 100,352 |
//  +----------------+------------+---------+---------+
//  Total: 100,480 -- 401,920 bytes
#pragma once

#include <optional>
#include <string>

#include "kd/core/tree.h"

namespace kd::nn {

struct OverviewOptions {
  bool stats = false;                         // adds columns with mean and standard deviation
  std::optional<std::string> sharding = {};   // adds a column with this text
  std::optional<std::size_t> max_lines = {};  // a longer table ends with "[...]"
};
std::string parameter_overview(const Tree& params, const OverviewOptions& options = {});

// With statistics, as a table in Markdown.
std::string parameter_markdown(
    const Tree& params, const std::string& sharding =
                            "SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)");

}  // namespace kd::nn
