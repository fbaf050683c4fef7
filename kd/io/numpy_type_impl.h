// How numpy spells types of elements: "<f4". Library only.
#pragma once

#include <bit>
#include <map>
#include <optional>
#include <string>

#include "kd/core/tensor.h"

namespace kd::io {

// Numbers and booleans; none for others.
inline std::optional<c10::ScalarType> numpy_type(const std::string& descr) {
  static const std::map<std::string, c10::ScalarType> kTypes = {
      {"b1", at::kBool},  {"u1", at::kByte},   {"i1", at::kChar},  {"u2", at::kUInt16},
      {"i2", at::kShort}, {"u4", at::kUInt32}, {"i4", at::kInt},   {"u8", at::kUInt64},
      {"i8", at::kLong},  {"f2", at::kHalf},   {"f4", at::kFloat}, {"f8", at::kDouble}};
  auto found = descr.size() == 3 ? kTypes.find(descr.substr(1)) : kTypes.end();
  if (found == kTypes.end()) return {};
  return found->second;
}

inline bool is_foreign_order(const std::string& descr) {
  const bool little = std::endian::native == std::endian::little;
  return descr[0] == (little ? '>' : '<');
}

}  // namespace kd::io
