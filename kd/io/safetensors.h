// Tensors in files, in the safetensors format: readable by Python's `safetensors` and back.
//
//   io::save_safetensors("params.safetensors", {{"kernel", kernel}, {"bias", bias}});
//   Tensor kernel = io::load_safetensors("params.safetensors").at("kernel");
//
// A file is written aside, synced and renamed: a reader sees the old one or the whole new one.
// Errors name the file, the tensor and what is wrong with it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kd/core/tensor.h"

namespace kd::io {

using TensorMap = std::map<std::string, Tensor>;
using Metadata = std::map<std::string, std::string>;

// Tensors in the memory of the CPU, dtypes as stored.
TensorMap load_safetensors(const std::string& path);
// Sorted by size of element and then by name, as the reference does; strided tensors are packed.
void save_safetensors(const std::string& path, const TensorMap& tensors,
                      const Metadata& metadata = {});

// What a file says about one tensor.
struct SafetensorsEntry {
  std::string name;
  c10::ScalarType dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  // bytes, counted from the end of the header
};
struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // in the order of their bytes, without gaps
  Metadata metadata;                      // texts of the writer
  std::uint64_t data_begin = 0;           // where the bytes of the first tensor are in the file
};

// Reads no tensors: quick, also for big files.
SafetensorsHeader read_safetensors_header(const std::string& path);
// The header of a file's bytes, of which `text` is the beginning and `file_size` the number.
SafetensorsHeader parse_safetensors_header(std::string_view text, std::uint64_t file_size);

// As load and save, from and to memory.
TensorMap parse_safetensors(std::string_view bytes);
std::string to_safetensors(const TensorMap& tensors, const Metadata& metadata = {});

}  // namespace kd::io

namespace kd {

using io::load_safetensors;
using io::Metadata;
using io::parse_safetensors;
using io::parse_safetensors_header;
using io::read_safetensors_header;
using io::SafetensorsEntry;
using io::SafetensorsHeader;
using io::save_safetensors;
using io::TensorMap;
using io::to_safetensors;

}  // namespace kd
