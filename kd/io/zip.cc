// Reading zip files.
#include "kd/io/zip.h"

#include <zlib.h>

#include <algorithm>

#include "kd/io/errors.h"

namespace kd::io {

namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50,
                        kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;

struct Directory {
  std::uint64_t count = 0, offset = 0;
};

// At the end of the file, behind which a comment of up to 64 KB may stand.
Directory find_directory(const Bytes& bytes) {
  constexpr std::uint64_t kEndSize = 22, kMostComment = 0xFFFF, kLocatorSize = 20;
  if (bytes.size() < kEndSize) {
    fail_in_file(bytes.path, 0,
                 "not a zip file: it has " + std::to_string(bytes.size()) +
                     " bytes, the smallest one has " + std::to_string(kEndSize));
  }
  const std::uint64_t last = bytes.size() - kEndSize;
  const std::uint64_t first = last > kMostComment ? last - kMostComment : 0;
  for (std::uint64_t at = last + 1; at-- > first;) {
    if (little_endian<std::uint32_t>(bytes, at) != kEnd) continue;
    Directory out{little_endian<std::uint16_t>(bytes, at + 10),
                  little_endian<std::uint32_t>(bytes, at + 16)};
    if (at >= kLocatorSize &&
        little_endian<std::uint32_t>(bytes, at - kLocatorSize) == kLocator64) {
      const auto end64 = little_endian<std::uint64_t>(bytes, at - kLocatorSize + 8);
      if (end64 > bytes.size() || little_endian<std::uint32_t>(bytes, end64) != kEnd64) {
        fail_in_file(bytes.path, at, "the directory is not where it should be");
      }
      out = {little_endian<std::uint64_t>(bytes, end64 + 32),
             little_endian<std::uint64_t>(bytes, end64 + 48)};
    }
    return out;
  }
  fail_in_file(bytes.path, last, "not a zip file, or cut off: there is no directory at its end");
}

// Sizes beyond 32 bits stand in an extra field, in this order.
void read_extra64(const Bytes& bytes, std::uint64_t at, std::uint64_t end, ZipEntry& entry) {
  constexpr std::uint32_t kBig = 0xFFFFFFFF;
  while (at + 4 <= end) {
    const auto id = little_endian<std::uint16_t>(bytes, at);
    const auto length = little_endian<std::uint16_t>(bytes, at + 2);
    at += 4;
    if (id == 1) {
      for (std::uint64_t* value : {&entry.size, &entry.packed, &entry.offset}) {
        if (*value != kBig) continue;
        *value = little_endian<std::uint64_t>(bytes, at);
        at += 8;
      }
      return;
    }
    at += length;
  }
}

}  // namespace

std::vector<ZipEntry> read_zip(const Bytes& bytes) {
  constexpr std::uint64_t kHeaderSize = 46;
  const Directory directory = find_directory(bytes);
  std::vector<ZipEntry> out;
  std::uint64_t at = directory.offset;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    if (at > bytes.size() || bytes.size() - at < kHeaderSize ||
        little_endian<std::uint32_t>(bytes, at) != kCentral) {
      fail_in_file(bytes.path, std::min(at, bytes.size()), "the directory is damaged");
    }
    ZipEntry entry{.method = little_endian<std::uint16_t>(bytes, at + 10),
                   .crc = little_endian<std::uint32_t>(bytes, at + 16),
                   .packed = little_endian<std::uint32_t>(bytes, at + 20),
                   .size = little_endian<std::uint32_t>(bytes, at + 24),
                   .offset = little_endian<std::uint32_t>(bytes, at + 42)};
    const std::uint64_t name = little_endian<std::uint16_t>(bytes, at + 28),
                        extra = little_endian<std::uint16_t>(bytes, at + 30),
                        comment = little_endian<std::uint16_t>(bytes, at + 32);
    if (bytes.size() - at - kHeaderSize < name + extra + comment) {
      fail_in_file(bytes.path, at, "the directory is damaged");
    }
    entry.name = bytes.data.substr(at + kHeaderSize, name);
    read_extra64(bytes, at + kHeaderSize + name, at + kHeaderSize + name + extra, entry);
    at += kHeaderSize + name + extra + comment;
    out.push_back(std::move(entry));
  }
  return out;
}

Bytes unzip(const Bytes& bytes, const ZipEntry& entry) {
  constexpr std::uint64_t kHeaderSize = 30, kMostRatio = 1032;
  const std::string path = bytes.path + "/" + entry.name;
  if (entry.offset > bytes.size() || bytes.size() - entry.offset < kHeaderSize ||
      little_endian<std::uint32_t>(bytes, entry.offset) != kLocal) {
    fail_in_file(path, std::min(entry.offset, bytes.size()), "the entry is not where it should be");
  }
  const std::uint64_t begin = entry.offset + kHeaderSize +
                              little_endian<std::uint16_t>(bytes, entry.offset + 26) +
                              little_endian<std::uint16_t>(bytes, entry.offset + 28);
  if (begin > bytes.size() || bytes.size() - begin < entry.packed) {
    fail_in_file(path, entry.offset, "the entry is longer than the file");
  }
  const std::string_view packed = bytes.data.substr(begin, entry.packed);
  if (entry.method == 0) return {path, packed, bytes.owner};
  if (entry.method != 8) {
    fail_in_file(path, entry.offset,
                 "packing method " + std::to_string(entry.method) + " is unknown");
  }
  if (entry.size / kMostRatio > entry.packed) {
    fail_in_file(path, entry.offset,
                 "the entry cannot hold " + std::to_string(entry.size) + " bytes");
  }
  std::string out(entry.size, '\0');
  z_stream stream = {};
  if (::inflateInit2(&stream, -15) != Z_OK) fail_in_file(path, "zlib does not start");
  constexpr std::uint64_t kMost = 1 << 30;
  std::uint64_t in_left = packed.size(), out_left = out.size();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  int code = Z_OK;
  while (code == Z_OK) {
    const auto in = static_cast<uInt>(std::min(kMost, in_left));
    const auto to = static_cast<uInt>(std::min(kMost, out_left));
    stream.avail_in = in;
    stream.avail_out = to;
    code = ::inflate(&stream, Z_NO_FLUSH);
    in_left -= in - stream.avail_in;
    out_left -= to - stream.avail_out;
    if (in == stream.avail_in && to == stream.avail_out && code == Z_OK) break;
  }
  ::inflateEnd(&stream);
  if (code != Z_STREAM_END || out_left != 0) {
    fail_in_file(path, begin, "the packed data is damaged");
  }
  const auto crc = ::crc32_z(0, reinterpret_cast<const Bytef*>(out.data()), out.size());
  if (crc != entry.crc) fail_in_file(path, begin, "the checksum is wrong");
  return own_bytes(path, std::move(out));
}

}  // namespace kd::io
