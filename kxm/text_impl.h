// Small texts of the records: times, hosts, tokens, and JSON that keeps any bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "konfig/value.h"

namespace kxm {

using base::now;

std::string host();       // of this machine
std::string new_token();  // 32 random hexadecimal digits

// Texts that are not UTF-8 become {"hex": "ff00"}: arguments may be any bytes.
konfig::Value record_text(std::string_view text);
std::string text_of(const konfig::Value& value);
void append_text(std::string& json, std::string_view text);                   // the same, as JSON
void append_texts(std::string& json, const std::vector<std::string>& texts);  // a list of them

// Lists as one text for the database: each item is followed by a zero byte.
template <class Range>
std::string pack(const Range& items) {
  std::string out;
  for (const std::string& item : items) {
    out += item;
    out += '\0';
  }
  return out;
}
template <class Each>
void unpack(std::string_view packed, const Each& each) {
  while (!packed.empty()) {
    const auto end = packed.find('\0');
    each(packed.substr(0, end));
    if (end == packed.npos) break;
    packed.remove_prefix(end + 1);
  }
}

}  // namespace kxm
