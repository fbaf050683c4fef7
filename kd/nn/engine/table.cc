// What tables of texts share.
#include <algorithm>

#include "kd/nn/engine/table_impl.h"

namespace kd::nn::detail {

std::vector<std::size_t> column_widths(const Row& header, const std::vector<Row>& rows) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < header.size(); ++i) {
    std::size_t width = header[i].size();
    for (auto& row : rows) width = std::max(width, row[i].size());
    out.push_back(width);
  }
  return out;
}

std::string with_commas(std::int64_t n) {
  const std::string digits = std::to_string(n);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > (n < 0 ? 1u : 0u) && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

}  // namespace kd::nn::detail
