// The key-value store in which Orbax keeps the arrays of a checkpoint: TensorStore's OCDBT.
#pragma once

#include <map>
#include <string>

#include "kd/io/file.h"

namespace kd::io {

// The values of the newest version by key; long ones stay in their files, which are mapped. Every
// length and checksum is checked: an Error names the file and the byte.
std::map<std::string, Bytes> read_ocdbt(const std::string& folder);

}  // namespace kd::io
