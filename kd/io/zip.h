// Zip files, as far as NPZ needs them: stored and deflated entries, also beyond 4 GB.
#pragma once

#include <string>
#include <vector>

#include "kd/io/file.h"

namespace kd::io {

struct ZipEntry {
  std::string name;
  int method = 0;            // 0: stored, 8: deflated
  std::uint32_t crc = 0;     // of the content
  std::uint64_t packed = 0;  // bytes in the file
  std::uint64_t size = 0;    // bytes of the content
  std::uint64_t offset = 0;  // of its local header
};

std::vector<ZipEntry> read_zip(const Bytes& bytes);
// The content; stored ones without a copy.
Bytes unzip(const Bytes& bytes, const ZipEntry& entry);

}  // namespace kd::io
