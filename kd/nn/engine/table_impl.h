// What tables of texts share. Library only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kd::nn::detail {

using Row = std::vector<std::string>;

// The widest cell of each column.
std::vector<std::size_t> column_widths(const Row& header, const std::vector<Row>& rows);
std::string with_commas(std::int64_t n);  // "1,234"

}  // namespace kd::nn::detail
