// The index of ArrayRecord files.
#include "kd/io/array_record.h"

#include <algorithm>

#include "kd/io/errors.h"
#include "kd/io/protobuf.h"

namespace kd::io {

namespace {

using detail::Message;

constexpr std::uint64_t kBlock = 1 << 16;
constexpr std::uint64_t kMagic = 0x71930e704fdae05e;

// The last block says where the index is.
std::uint64_t footer_offset(const Bytes& bytes) {
  if (bytes.size() < 2 * kBlock || bytes.size() % kBlock != 0) {
    fail_in_file(bytes.path, bytes.size(),
                 "not an ArrayRecord file, or cut off: expected a multiple of 65536 bytes, found " +
                     std::to_string(bytes.size()));
  }
  const std::uint64_t last = bytes.size() - kBlock;
  const auto copies = detail::read_riegeli_chunk(bytes, last);
  if (copies.empty()) fail_in_file(bytes.path, last, "the end of the file names no index");
  Message message(copies[0], bytes.path);
  std::uint64_t offset = 0, magic = 0;
  while (message.next()) {
    if (message.field() == 1)
      offset = message.read_varint();
    else if (message.field() == 2)
      magic = message.read_varint();
  }
  if (magic != kMagic) {
    fail_in_file(bytes.path, last, "not an ArrayRecord file: its last block has another mark");
  }
  if (offset >= last) fail_in_file(bytes.path, last, "the index lies behind the end of the file");
  return offset;
}

}  // namespace

ArrayRecordFile::ArrayRecordFile(Bytes bytes) : bytes_(std::move(bytes)) {
  const std::uint64_t offset = footer_offset(bytes_);
  const auto entries = detail::read_riegeli_chunk(bytes_, offset);
  if (entries.empty()) fail_in_file(bytes_.path, offset, "the index is empty");
  for (std::size_t i = 1; i < entries.size(); ++i) {  // the first one tells about all
    Chunk chunk{.first = size_};
    std::uint64_t count = 0;
    Message message(entries[i], bytes_.path);
    while (message.next()) {
      if (message.field() == 1)
        chunk.offset = message.read_varint();
      else if (message.field() == 3)
        count = message.read_varint();
    }
    if (chunk.offset >= bytes_.size() || count == 0 || count > bytes_.size()) {
      fail_in_file(bytes_.path, offset,
                   "entry " + std::to_string(i) + " of the index is impossible");
    }
    chunk.count = static_cast<std::int64_t>(count);
    size_ += chunk.count;
    chunks_.push_back(chunk);
  }
}

const ArrayRecordFile::Chunk& ArrayRecordFile::chunk_of(std::int64_t i) const {
  return *std::prev(std::ranges::upper_bound(chunks_, i, {}, &Chunk::first));
}

std::string ArrayRecordFile::read(std::int64_t i) const {
  const Chunk& chunk = chunk_of(i);
  auto records = detail::read_riegeli_chunk(bytes_, chunk.offset);
  const auto place = static_cast<std::size_t>(i - chunk.first);
  if (place >= records.size()) {
    fail_in_file(bytes_.path, chunk.offset, "the chunk has fewer records than the index says");
  }
  return std::move(records[place]);
}

}  // namespace kd::io
