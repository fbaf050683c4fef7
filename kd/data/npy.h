// NPY and NPZ: numpy's arrays in files.
#pragma once

#include <map>
#include <string>

#include "kd/data/file.h"

namespace kd::data {

// Files in C order are not read before their values are used.
Tensor parse_npy(const Bytes& bytes);
// The arrays of a zip file by name, without ".npy".
std::map<std::string, Tensor> parse_npz(const Bytes& bytes);

}  // namespace kd::data
