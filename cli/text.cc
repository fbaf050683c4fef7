#include "cli/text.h"

#include <algorithm>
#include <numeric>

#include "cli/terminal.h"
#include "konfig/json.h"
#include "konfig/print.h"
#include "konfig/registry.h"
#include "konfig/scalar_text.h"

namespace cli {

using konfig::ConfigDict;
using konfig::Value;

namespace {

// Characters on the screen: colour codes take no room.
std::size_t width_of(std::string_view cell) {
  std::size_t hidden = 0;
  for (auto at = cell.find('\x1b'); at != cell.npos; at = cell.find('\x1b', at + 1)) {
    hidden += std::min(cell.find('m', at), cell.size() - 1) + 1 - at;
  }
  return konfig::utf8_length(cell) - hidden;
}

}  // namespace

std::string flat_text(const Value& value) {
  const std::string text = konfig::to_text(value);
  auto is_close = [](char c) { return c == ')' || c == ']' || c == '}'; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') {
      out += text[i];
      continue;
    }
    while (i + 1 < text.size() && text[i + 1] == ' ') ++i;
    if (i + 1 < text.size() && is_close(text[i + 1])) {
      if (out.ends_with(',')) out.pop_back();
    } else if (out.ends_with(',')) {
      out += ' ';
    }
  }
  return out;
}

std::string brief_text(const Value& value, std::size_t most) {
  if (auto* node = value.get_if<ConfigDict>()) {
    if (node->is_const()) return konfig::shorten_qualname(node->qualname());
    if (node->is_call()) {
      return konfig::shorten_qualname(node->qualname()) + (node->size() > 1 ? "(...)" : "()");
    }
    return node->empty() ? "{}" : "{...}";
  }
  return konfig::shorten(flat_text(value), most);
}

std::string raw_text(const Value& value) {
  if (auto* text = value.get_if<std::string>()) return *text;
  return konfig::to_json(value);
}

std::string valid_utf8(std::string_view text) {
  if (konfig::is_utf8(text)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    std::size_t size = 1;  // of the next character
    while (size <= 4 && !konfig::is_utf8(text.substr(0, size))) ++size;
    out += size > 4 ? "\xef\xbf\xbd" : text.substr(0, size);
    text.remove_prefix(size > 4 ? 1 : size);
  }
  return out;
}

void Table::drop_empty_columns() {
  if (rows_.empty()) return;
  for (std::size_t i = rows_.front().size(); i-- > 0;) {
    const bool used = std::any_of(rows_.begin() + 1, rows_.end(),
                                  [&](auto& row) { return i < row.size() && !row[i].empty(); });
    if (used) continue;
    for (auto& row : rows_) {
      if (i < row.size()) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> out;
  for (auto& row : rows_) {
    out.resize(std::max(out.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) out[i] = std::max(out[i], width_of(row[i]));
  }
  return out;
}

std::size_t Table::width() const {
  const std::vector<std::size_t> widths = this->widths();
  return std::accumulate(widths.begin(), widths.end(), 2 * widths.size());
}

void Table::fit(std::size_t columns) {
  constexpr std::size_t kLeast = 12;  // a column keeps as many
  std::vector<std::size_t> widths = this->widths();
  std::size_t all = width();
  while (columns > 0 && all > columns) {
    auto widest = std::ranges::max_element(widths);
    if (widest == widths.end() || *widest <= kLeast) break;
    --*widest;
    --all;
  }
  for (auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (width_of(row[i]) > widths[i]) row[i] = konfig::shorten(row[i], widths[i] - 3);
    }
  }
}

std::string Table::text(bool heading) const {
  const std::vector<std::size_t> widths = this->widths();
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line = "  ";
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
      const std::string& cell = rows_[r][i];
      line += cell + std::string(widths[i] - width_of(cell) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += (heading && r == 0 ? ink_out(Ink::dim, line) : line) + "\n";
  }
  return out;
}

}  // namespace cli
