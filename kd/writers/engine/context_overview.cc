// What keys can name, as the reference words it.
#include "kd/writers/engine/context_overview.h"

#include <algorithm>
#include <vector>

#include "base/join.h"
#include "kd/core/dtype_name.h"
#include "kd/core/ops.h"
#include "kd/data/engine/batch.h"

namespace kd::writers {

namespace {

using Row = std::vector<std::string>;

// The first row is the head.
std::string table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.at(0).size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      out += "| " + rows[r][i] + std::string(widths[i] - rows[r][i].size() + 1, ' ');
    }
    out += "|\n";
    if (r > 0) continue;
    for (std::size_t width : widths) out += "|" + std::string(width + 2, '-');
    out += "|\n";
  }
  return out;
}

// "f32[8 784]"
std::string short_spec(const Tensor& tensor) {
  const std::string name(dtype_name(tensor.scalar_type()));
  std::string out = name;
  for (auto [whole, brief] : {std::pair<std::string_view, const char*>("bfloat", "bf"),
                              {"float", "f"},
                              {"uint", "ui"},
                              {"int", "i"},
                              {"complex", "c"}}) {
    if (!name.starts_with(whole)) continue;
    out = brief;
    out.append(name, whole.size());
    break;
  }
  return out + '[' + base::join(tensor.sizes(), " ") + ']';
}

}  // namespace

std::string context_overview(const Tree& context) {
  Tree shown = context;
  std::vector<Row> same;
  for (const char* name : {"grads", "updates"}) {
    if (!shown.has_names() || !shown.contains(name)) continue;
    if (!shown[name].is_none()) {
      same.push_back({std::string("`") + name + "`", "`<<same structure as params>>`"});
    }
    shown[name] = Tree();
  }
  std::vector<Row> rows;
  auto leaves = flatten(shown);
  std::ranges::sort(leaves, [](auto& a, auto& b) { return a.first < b.first; });
  for (auto& [path, tensor] : leaves) {
    rows.push_back({"`" + path + "`", "`" + short_spec(tensor) + "`"});
  }
  rows.insert(rows.begin(), {"Path", "Spec"});
  rows.insert(rows.end(), same.begin(), same.end());
  return table(rows);
}

}  // namespace kd::writers
