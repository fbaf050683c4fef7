// Values, types and tables as text for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "konfig/type.h"
#include "konfig/value.h"

namespace cli {

// Kauldron's notation on one line: "optax.adam(learning_rate=0.003)".
std::string flat_text(const konfig::Value& value);
// The same, cut to about `most` bytes; a node is its name with "(...)".
std::string brief_text(const konfig::Value& value, std::size_t most = 40);
// What scripts read: text as it is, anything else as JSON on one line.
std::string raw_text(const konfig::Value& value);

// With U+FFFD in place of bytes that are not UTF-8: JSON has no form for them.
std::string valid_utf8(std::string_view text);

// A field's type as a Python programmer writes it: "list[Transform]", "int | None".
std::string type_text(const konfig::Type& type);
// "Optimizer" for kd::Optimizer.
std::string short_name(std::string_view cpp_name);

// Rows as columns, two spaces apart and indented by two; trailing empty cells leave no spaces.
class Table {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  // Those with nothing below the heading.
  void drop_empty_columns();
  std::size_t width() const;  // of a row
  // Cuts the widest cells until every row fits; 0: nothing is cut.
  void fit(std::size_t columns);
  // `heading`: the first row is one.
  std::string text(bool heading = false) const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<std::vector<std::string>> rows_;
};

}  // namespace cli
