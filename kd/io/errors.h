// Errors about data: the place first (an element, a file and an offset), then what is wrong there.
#pragma once

#include <cstdint>
#include <string>

#include "konfig/error.h"

namespace kd::io {

using konfig::Error;
using konfig::ErrorKind;

// The same error, seen from outside.
inline Error in_place(const std::string& place, const Error& e) {
  return Error(e.kind(), place + ": " + e.what());
}

// "train.tfrecord: byte 1044: the checksum of the record is wrong"
[[noreturn]] inline void fail_in_file(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::value, path + ": " + reason);
}
[[noreturn]] inline void fail_in_file(const std::string& path, std::uint64_t offset,
                                      const std::string& reason) {
  throw Error(ErrorKind::value, path + ": byte " + std::to_string(offset) + ": " + reason);
}

}  // namespace kd::io
