// Files mapped into memory: big ones cost nothing until they are read, and many threads may read
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kd/core/tensor.h"

namespace kd::io {

// The bytes of a file, or of part of one, and what keeps them alive. `path` is for messages.
struct Bytes {
  std::string path;
  std::string_view data;
  std::shared_ptr<const void> owner;

  std::uint64_t size() const { return data.size(); }
};

// Maps a file. An Error says why it cannot be read.
Bytes map_file(const std::string& path);
// Bytes in memory.
Bytes own_bytes(std::string path, std::string data);

// A tensor of these bytes, without a copy where they are aligned. An Error when there are too few.
Tensor tensor_at(const Bytes& bytes, std::uint64_t offset, const std::vector<std::int64_t>& shape,
                 c10::ScalarType dtype);
// The number of bytes of such a tensor; an Error when it has no number or is beyond all files.
std::uint64_t checked_size(const Bytes& bytes, std::uint64_t offset,
                           std::span<const std::int64_t> shape, std::size_t element_size);

// Numbers at a place; an Error when the file ends before.
template <class T>
T little_endian(const Bytes& bytes, std::uint64_t offset);
template <class T>
T big_endian(const Bytes& bytes, std::uint64_t offset);

// A file that gzip or zlib packed, unpacked; others as they are. Never more than `limit` bytes.
Bytes unpacked(const Bytes& bytes, std::uint64_t limit);
bool is_gzip(std::string_view data);
// The first bytes of a packed file.
std::string unpacked_start(const Bytes& bytes, std::size_t n);

}  // namespace kd::io
