// Tables of parameters.
#include "kd/nn/engine/overview.h"

#include <ATen/ops/mean.h>
#include <ATen/ops/std.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/shape_text.h"
#include "kd/core/ops.h"
#include "kd/nn/engine/table_impl.h"
#include "kd/nn/shapes_impl.h"
#include "kd/typing/dtype.h"

namespace kd::nn {

namespace {

using detail::Row;
using detail::with_commas;
using Named = std::pair<std::string, Tensor>;

void collect(const Tree& tree, const std::string& path, std::vector<Named>& out) {
  if (tree.is_tensor()) {
    out.emplace_back(path, tree.tensor());
    return;
  }
  for (std::size_t i = 0; i < tree.size(); ++i) {
    std::string name = tree.has_names() ? tree.name(i) : std::to_string(i);
    collect(tree.child(i), path.empty() ? name : path + "/" + name, out);
  }
}

// Three digits, in Python's way: 0.0881, 6.85e-05, 0.0, 1e+02.
std::string three_digits(double x) {
  constexpr int kDigits = 3;
  if (!std::isfinite(x)) return std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
  char buffer[32];
  auto text = [&](std::chars_format format, int precision) {
    auto end = std::to_chars(buffer, buffer + sizeof buffer, x, format, precision).ptr;
    return std::string(buffer, end);
  };
  std::string scientific = text(std::chars_format::scientific, kDigits - 1);
  int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  auto strip = [](std::string digits, std::size_t keep) {
    auto dot = digits.find('.');
    if (dot == digits.npos) return digits;
    auto last = digits.find_last_not_of('0');
    return digits.substr(0, std::max(last == dot ? dot + keep : last + 1, dot + keep));
  };
  if (exponent < -4 || exponent >= kDigits - 1) {
    auto e = scientific.find('e');
    return strip(scientific.substr(0, e), 0) + scientific.substr(e);
  }
  return strip(text(std::chars_format::fixed, kDigits - 1 - exponent), 2);
}

std::string line(const Row& cells, const std::vector<std::size_t>& widths) {
  std::string out = "|";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    out += " " + cells[i] + std::string(widths[i] - cells[i].size(), ' ') + " |";
  }
  return out;
}

std::string separator(const std::vector<std::size_t>& widths, char corner) {
  std::string out(1, corner);
  for (auto width : widths) out += std::string(width + 2, '-') + corner;
  return out;
}

struct Table {
  Row header;
  std::vector<Row> rows;
  std::string total;

  std::vector<std::size_t> widths() const { return detail::column_widths(header, rows); }
};

Table make_table(const Tree& params, const OverviewOptions& options) {
  std::vector<Named> leaves;
  collect(params, "", leaves);
  std::sort(leaves.begin(), leaves.end(), [](auto& a, auto& b) { return a.first < b.first; });
  Table table{.header = {"Name", "Shape", "Dtype", "Size"},
              .total = "Total: " + with_commas(count(params)) + " -- " +
                       with_commas(byte_size(params)) + " bytes"};
  if (options.stats) table.header.insert(table.header.end(), {"Mean", "Std"});
  if (options.sharding) table.header.emplace_back("Sharding");
  for (auto& [name, value] : leaves) {
    Row row{name, base::tuple_text(value.sizes()),
            std::string(typing::name_of(value.scalar_type())), with_commas(value.numel())};
    if (options.stats) {
      Tensor exact = value.detach().to(at::kDouble);
      row.push_back(three_digits(at::mean(exact).item<double>()));
      row.push_back(three_digits(at::std(exact, /*unbiased=*/false).item<double>()));
    }
    if (options.sharding) row.push_back(*options.sharding);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::string parameter_overview(const Tree& params, const OverviewOptions& options) {
  Table table = make_table(params, options);
  auto widths = table.widths();
  std::string rule = separator(widths, '+') + "\n";
  std::string out = rule + line(table.header, widths) + "\n" + rule;
  std::size_t lines = 3;
  for (auto& row : table.rows) {
    if (options.max_lines && lines++ + 3 >= *options.max_lines) {
      out += "[...]\n";
      break;
    }
    out += line(row, widths) + "\n";
  }
  return out + rule + table.total;
}

std::string parameter_markdown(const Tree& params, const std::string& sharding) {
  Table table = make_table(params, {.stats = true, .sharding = sharding});
  auto widths = table.widths();
  std::string out = line(table.header, widths) + "\n" + separator(widths, '|') + "\n";
  for (auto& row : table.rows) out += line(row, widths) + "\n";
  return out + "\n" + table.total;
}

}  // namespace kd::nn
