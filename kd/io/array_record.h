// ArrayRecord files: records by number, packed in chunks of the Riegeli format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kd/io/file.h"

namespace kd::io {

class ArrayRecordFile {
 public:
  // Reads the index at the end. Errors name the byte.
  explicit ArrayRecordFile(Bytes bytes);

  std::int64_t size() const { return size_; }
  // The content of a record, checked. Any thread may read.
  std::string read(std::int64_t i) const;
  // Where the chunk of a record begins.
  std::uint64_t offset(std::int64_t i) const { return chunk_of(i).offset; }

 private:
  struct Chunk {
    std::uint64_t offset = 0;
    std::int64_t first = 0;  // number of its first record
    std::int64_t count = 0;
  };
  const Chunk& chunk_of(std::int64_t i) const;
  Bytes bytes_;
  std::vector<Chunk> chunks_;
  std::int64_t size_ = 0;
};

namespace detail {

// The records of the chunk that begins at an offset.
std::vector<std::string> read_riegeli_chunk(const Bytes& bytes, std::uint64_t offset);

}  // namespace detail

}  // namespace kd::io
