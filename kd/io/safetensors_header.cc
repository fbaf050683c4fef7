// The header of a safetensors file: eight bytes of length, then JSON that says where each tensor
// is.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/join.h"
#include "kd/io/safetensors.h"
#include "kd/io/safetensors_impl.h"
#include "konfig/error.h"
#include "konfig/json.h"

namespace kd::io {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

using at::ScalarType;

constexpr std::uint64_t kMaxHeader = 100'000'000;  // the reference's limit

// From the largest elements to the smallest: the order in which tensors are written, so that each
// is aligned.
constexpr std::pair<const char*, ScalarType> kDtypes[] = {{"U64", ScalarType::UInt64},
                                                          {"I64", ScalarType::Long},
                                                          {"F64", ScalarType::Double},
                                                          {"C64", ScalarType::ComplexFloat},
                                                          {"F32", ScalarType::Float},
                                                          {"U32", ScalarType::UInt32},
                                                          {"I32", ScalarType::Int},
                                                          {"BF16", ScalarType::BFloat16},
                                                          {"F16", ScalarType::Half},
                                                          {"U16", ScalarType::UInt16},
                                                          {"I16", ScalarType::Short},
                                                          {"F8_E8M0", ScalarType::Float8_e8m0fnu},
                                                          {"F8_E4M3", ScalarType::Float8_e4m3fn},
                                                          {"F8_E5M2", ScalarType::Float8_e5m2},
                                                          {"I8", ScalarType::Char},
                                                          {"U8", ScalarType::Byte},
                                                          {"BOOL", ScalarType::Bool}};

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::value, what); }

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  fail("tensor '" + name + "': " + what);
}

ScalarType dtype_of(const std::string& tensor, const std::string& name) {
  for (auto& [spelling, dtype] : kDtypes) {
    if (name == spelling) return dtype;
  }
  const std::string known = base::join(kDtypes, ", ", [](auto& entry) { return entry.first; });
  fail(tensor, "unknown dtype '" + name + "'; known are " + known);
}

// A whole number that is not negative.
std::uint64_t natural(const std::string& tensor, const char* field, const Value& value) {
  auto* number = value.get_if<std::int64_t>();
  if (!number || *number < 0) {
    fail(tensor, std::string(field) + " holds " + value.repr() + ", wanted whole numbers from 0");
  }
  return static_cast<std::uint64_t>(*number);
}

const Value& field(const std::string& tensor, const Dict& entry, const char* name) {
  if (auto* value = entry.find(name)) return *value;
  fail(tensor, std::string("has no ") + name);
}

const konfig::List& list(const std::string& tensor, const Dict& entry, const char* name) {
  const Value& value = field(tensor, entry, name);
  if (auto* items = value.get_if<konfig::List>()) return *items;
  fail(tensor, std::string(name) + " is " + value.repr() + ", wanted a list");
}

SafetensorsEntry parse_entry(const std::string& name, const Value& value) {
  auto* dict = value.get_if<Dict>();
  if (!dict) fail(name, "is described by " + value.repr() + ", wanted dtype, shape, data_offsets");
  for (auto& [key, unused] : *dict) {
    auto* text = key.get_if<std::string>();
    if (!text || (*text != "dtype" && *text != "shape" && *text != "data_offsets")) {
      fail(name, "unknown field " + key.repr() + "; known are dtype, shape, data_offsets");
    }
  }
  SafetensorsEntry entry{.name = name, .dtype = ScalarType::Undefined};
  const Value& dtype = field(name, *dict, "dtype");
  if (!dtype.is<std::string>()) fail(name, "dtype is " + dtype.repr() + ", wanted a text");
  entry.dtype = dtype_of(name, dtype.as<std::string>());

  // The limit counts an empty dimension as one: libtorch multiplies the others for strides.
  std::uint64_t size = c10::elementSize(entry.dtype), limit = size;
  for (const Value& dim : list(name, *dict, "shape")) {
    std::uint64_t n = natural(name, "shape", dim);
    entry.shape.push_back(static_cast<std::int64_t>(n));
    if (__builtin_mul_overflow(limit, std::max<std::uint64_t>(n, 1), &limit) || limit > INT64_MAX) {
      fail(name, "its shape " + field(name, *dict, "shape").repr() + " is too large");
    }
    size *= n;
  }
  auto& offsets = list(name, *dict, "data_offsets");
  if (offsets.size() != 2) fail(name, "data_offsets needs begin and end");
  entry.begin = natural(name, "data_offsets", offsets[0]);
  entry.end = natural(name, "data_offsets", offsets[1]);
  if (entry.begin > entry.end || entry.end - entry.begin != size) {
    fail(name, "dtype and shape take " + std::to_string(size) + " bytes, but data_offsets are [" +
                   std::to_string(entry.begin) + ", " + std::to_string(entry.end) + "]");
  }
  return entry;
}

Metadata parse_metadata(const Value& value) {
  auto* dict = value.get_if<Dict>();
  if (!dict) fail("__metadata__ is " + value.repr() + ", wanted texts by name");
  Metadata out;
  for (auto& [key, text] : *dict) {
    if (!key.is<std::string>() || !text.is<std::string>()) {
      fail("__metadata__ has " + key.repr() + ": " + text.repr() + ", wanted a text");
    }
    out[key.as<std::string>()] = text.as<std::string>();
  }
  return out;
}

// Every byte belongs to exactly one tensor.
void check_layout(SafetensorsHeader& header, std::uint64_t bytes) {
  auto order = [](const SafetensorsEntry& e) { return std::tie(e.begin, e.end, e.name); };
  std::sort(header.entries.begin(), header.entries.end(),
            [&](auto& a, auto& b) { return order(a) < order(b); });
  std::uint64_t at = 0;
  for (auto& entry : header.entries) {
    if (entry.begin != at) {
      fail(entry.name, "begins at byte " + std::to_string(entry.begin) +
                           ", but the tensors before " + "it end at " + std::to_string(at));
    }
    at = entry.end;
  }
  if (at != bytes) {
    fail("the tensors take " + std::to_string(at) + " bytes, but the file has " +
         std::to_string(bytes) + (at > bytes ? "; it is cut short" : "; it is too long"));
  }
}

}  // namespace

namespace detail {

std::uint64_t safetensors_header_end(std::string_view first, std::uint64_t file_size) {
  std::uint64_t length = 0;
  if (first.size() < sizeof length || file_size < sizeof length) {
    fail("the file has " + std::to_string(file_size) + " bytes; a safetensors file has at least 8");
  }
  static_assert(std::endian::native == std::endian::little, "the format is little-endian");
  std::memcpy(&length, first.data(), sizeof length);
  if (length > kMaxHeader) {
    fail("its header would have " + std::to_string(length) + " bytes, more than the " +
         std::to_string(kMaxHeader) + " allowed; is it a safetensors file?");
  }
  if (sizeof length + length > file_size) {
    fail("its header has " + std::to_string(length) + " bytes, but the file has only " +
         std::to_string(file_size) + "; it is cut short");
  }
  return sizeof length + length;
}

int safetensors_rank(ScalarType dtype) {
  for (std::size_t i = 0; i < std::size(kDtypes); ++i) {
    if (kDtypes[i].second == dtype) return static_cast<int>(i);
  }
  return -1;
}

std::string safetensors_header(const SafetensorsHeader& header) {
  Dict dict;
  if (!header.metadata.empty()) {
    Dict metadata;
    for (auto& [key, text] : header.metadata) metadata.set(key, text);
    dict.set("__metadata__", metadata);
  }
  for (auto& entry : header.entries) {
    konfig::List shape;
    for (auto n : entry.shape) shape.push_back(n);
    dict.set(entry.name, Dict{{"dtype", kDtypes[safetensors_rank(entry.dtype)].first},
                              {"shape", shape},
                              {"data_offsets", konfig::List{entry.begin, entry.end}}});
  }
  std::string json = konfig::to_json(dict, {.item_separator = ",", .key_separator = ":"});
  json.resize((json.size() + 7) / 8 * 8, ' ');
  std::uint64_t length = json.size();
  if (length > kMaxHeader) fail("too many tensors: the header would exceed 100 MB");
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + json;
}

}  // namespace detail

SafetensorsHeader parse_safetensors_header(std::string_view text, std::uint64_t file_size) {
  SafetensorsHeader header;
  header.data_begin = detail::safetensors_header_end(text, file_size);
  if (text.size() < header.data_begin) fail("the header is not complete");
  std::string_view json = text.substr(8, header.data_begin - 8);
  if (json.empty() || json.front() != '{') fail("its header does not begin with '{'");
  Value value = konfig::parse_json(json);
  for (auto& [key, entry] : value.as<Dict>()) {
    auto& name = key.as<std::string>();
    if (name == "__metadata__") {
      header.metadata = parse_metadata(entry);
    } else {
      header.entries.push_back(parse_entry(name, entry));
    }
  }
  check_layout(header, file_size - header.data_begin);
  return header;
}

}  // namespace kd::io
