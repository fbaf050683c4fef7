// What the tests of sources share: files in a folder of their own, and small contents of each
// format.
#pragma once

#include <ATen/ops/arange.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/temp_folder.h"
#include "kd/core/tree.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"
#include "konfig/expect_test.h"
#include "test_paths.h"

namespace kd::data {

namespace fs = std::filesystem;

inline const fs::path kGoldenFiles = KD_GOLDEN_DEFAULT "/data/files";

// A folder that goes away.
class Sources : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content) const {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  base::TempFolder temp_{"kd_sources_"};
  fs::path folder_ = temp_.path();
};

using konfig::error_of;

inline std::string gzipped(const std::string& data) {
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, data.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string big_endian_words(std::initializer_list<std::uint32_t> words) {
  std::string out;
  for (std::uint32_t word : words) {
    for (int i = 3; i >= 0; --i) out += static_cast<char>(word >> 8 * i);
  }
  return out;
}

inline std::int64_t number(const Tree& tree) { return tree.tensor().item().toLong(); }

inline std::string npy(const std::string& header, const std::string& data) {
  std::string out = "\x93NUMPY\x01";
  out += '\0';
  out += static_cast<char>(header.size());
  out += '\0';
  return out + header + data;
}

inline Tensor picture(std::int64_t channels) {
  return at::arange(channels * 5 * 7, at::kLong)
      .remainder(256)
      .to(at::kByte)
      .reshape({5, 7, channels});
}

inline std::string varint(std::uint64_t n) {
  std::string out;
  for (; n >= 0x80; n >>= 7) out += static_cast<char>(n | 0x80);
  return out + static_cast<char>(n);
}
inline std::string field(int number, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) + bytes;
}
inline std::string example_of(const std::vector<std::pair<std::string, std::string>>& features) {
  std::string all;
  for (auto& [name, feature] : features) all += field(1, field(1, name) + field(2, feature));
  return field(1, all);
}
inline std::string integers(std::initializer_list<std::int64_t> values) {
  std::string packed;
  for (auto v : values) packed += varint(static_cast<std::uint64_t>(v));
  return field(3, field(1, packed));
}

}  // namespace kd::data
