// Reading tar archives.
#include "kd/io/tar.h"

#include "kd/io/errors.h"

namespace kd::io {

namespace {

constexpr std::uint64_t kBlock = 512;

std::string text_at(std::string_view header, std::size_t at, std::size_t n) {
  const std::string_view field = header.substr(at, n);
  return std::string(field.substr(0, field.find('\0')));
}

std::uint64_t octal_at(const Bytes& bytes, std::uint64_t begin, std::size_t at, std::size_t n) {
  std::uint64_t out = 0;
  for (char c : bytes.data.substr(begin + at, n)) {
    if (c == '\0' || c == ' ') {
      if (out > 0) break;
      continue;
    }
    if (c < '0' || c > '7')
      fail_in_file(bytes.path, begin + at, "a number of the header is damaged");
    out = out * 8 + static_cast<std::uint64_t>(c - '0');
  }
  return out;
}

void check_sum(const Bytes& bytes, std::uint64_t begin) {
  constexpr std::size_t kSumAt = 148, kSumSize = 8;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const bool own = i >= kSumAt && i < kSumAt + kSumSize;
    sum += own ? ' ' : static_cast<unsigned char>(bytes.data[begin + i]);
  }
  if (sum != octal_at(bytes, begin, kSumAt, kSumSize)) {
    fail_in_file(bytes.path, begin, "the checksum of a header is wrong");
  }
}

}  // namespace

std::vector<std::pair<std::string, Bytes>> read_tar(const Bytes& bytes) {
  std::vector<std::pair<std::string, Bytes>> out;
  for (std::uint64_t at = 0; at < bytes.size();) {
    if (bytes.size() - at < kBlock)
      fail_in_file(bytes.path, at, "the archive ends within a header");
    const std::string_view header = bytes.data.substr(at, kBlock);
    if (header.find_first_not_of('\0') == header.npos) break;  // the end
    check_sum(bytes, at);
    const std::uint64_t size = octal_at(bytes, at, 124, 12);
    if (size > bytes.size() - at - kBlock) {
      fail_in_file(bytes.path, at, "a file is longer than the archive");
    }
    const char type = header[156];
    if (type == '0' || type == '\0') {
      std::string name = text_at(header, 0, 100);
      const std::string prefix = text_at(header, 345, 155);
      if (header.substr(257, 5) == "ustar" && !prefix.empty()) name = prefix + "/" + name;
      out.emplace_back(
          name, Bytes{bytes.path + "/" + name, bytes.data.substr(at + kBlock, size), bytes.owner});
    }
    at += kBlock + (size + kBlock - 1) / kBlock * kBlock;
  }
  return out;
}

}  // namespace kd::io
