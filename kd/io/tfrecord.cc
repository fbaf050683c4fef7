// Frames of TFRecord files: length, its checksum, data, its checksum.
#include "kd/io/tfrecord.h"

#include "kd/io/checksum.h"
#include "kd/io/errors.h"

namespace kd::io {

namespace {

constexpr std::uint64_t kHead = 12, kTail = 4;

template <class T>
void append(std::string& out, T number) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out += static_cast<char>(number >> 8 * i & 0xFF);
  }
}

}  // namespace

std::vector<TfRecordSpan> index_tfrecords(const Bytes& bytes) {
  std::vector<TfRecordSpan> out;
  for (std::uint64_t at = 0; at < bytes.size();) {
    const std::uint64_t left = bytes.size() - at;
    if (left < kHead + kTail) fail_in_file(bytes.path, at, "the file ends within a record");
    const auto length = little_endian<std::uint64_t>(bytes, at);
    if (masked_crc32c(bytes.data.substr(at, 8)) != little_endian<std::uint32_t>(bytes, at + 8)) {
      fail_in_file(bytes.path, at, "the checksum of a record's length is wrong");
    }
    if (length > left - kHead - kTail) {
      fail_in_file(
          bytes.path, at,
          "a record of " + std::to_string(length) + " bytes is longer than the rest of the file");
    }
    out.push_back({at + kHead, length});
    at += kHead + length + kTail;
  }
  return out;
}

std::string_view tfrecord_at(const Bytes& bytes, const TfRecordSpan& span) {
  const std::string_view data = bytes.data.substr(span.offset, span.size);
  if (masked_crc32c(data) != little_endian<std::uint32_t>(bytes, span.offset + span.size)) {
    fail_in_file(bytes.path, span.offset, "the checksum of a record is wrong");
  }
  return data;
}

std::string tfrecord_frame(std::string_view data) {
  std::string out;
  append(out, std::uint64_t{data.size()});
  append(out, masked_crc32c(out));
  out += data;
  append(out, masked_crc32c(data));
  return out;
}

}  // namespace kd::io
