// TFRecord files: records of bytes, each with checksums.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kd/io/file.h"

namespace kd::io {

struct TfRecordSpan {
  std::uint64_t offset = 0;  // of the data
  std::uint64_t size = 0;
};

// Where the records are: reads their lengths only. An Error names the byte where the file is
// damaged.
std::vector<TfRecordSpan> index_tfrecords(const Bytes& bytes);
// The content, checked against its checksum.
std::string_view tfrecord_at(const Bytes& bytes, const TfRecordSpan& span);

// One record with its frame, to be written.
std::string tfrecord_frame(std::string_view data);

}  // namespace kd::io
