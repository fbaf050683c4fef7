// IDX, the format of MNIST and its relatives: one tensor a file, packed by gzip or not.
#pragma once

#include "kd/io/file.h"

namespace kd::io {

// Files that are not packed are not read before their values are used.
Tensor read_idx(const std::string& path);
// Any bytes as such a file.
Tensor parse_idx(const Bytes& bytes);

}  // namespace kd::io
