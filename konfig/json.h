// Configs as JSON, byte for byte as Kauldron writes them: insertion order, shared nodes in full at
// each place with an `__id__`, non-text keys as "__raw__=0", NaN and Infinity as bare words.
#pragma once

#include <string>
#include <string_view>

#include "konfig/value.h"

namespace konfig {

struct JsonOptions {
  int indent = -1;  // spaces per level; -1: one line
  bool sort_keys = false;
  std::string item_separator = ", ";  // "," when indented
  std::string key_separator = ": ";
};
std::string to_json(const Value& value, JsonOptions options = {});

// Any JSON text as plain data; errors give line and column.
Value parse_json(std::string_view text);
// A config from its JSON: nodes with one `__id__` become one node again.
ConfigDict config_from_json(std::string_view text);

}  // namespace konfig
