// Tar archives: the files in them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kd/io/file.h"

namespace kd::io {

// Names and contents of the plain files, without a copy.
std::vector<std::pair<std::string, Bytes>> read_tar(const Bytes& bytes);

}  // namespace kd::io
