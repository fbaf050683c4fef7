// NPY and NPZ: numpy's arrays in files.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kd/io/file.h"

namespace kd::io {

// Files in C order are not read before their values are used.
Tensor parse_npy(const Bytes& bytes);
// The arrays of a zip file by name, without ".npy".
std::map<std::string, Tensor> parse_npz(const Bytes& bytes);

// The same as `numpy.save` and `numpy.savez` write. An Error for types that numpy does not have.
std::string npy_bytes(const Tensor& tensor);
std::string npz_bytes(const std::vector<std::pair<std::string, Tensor>>& arrays);

}  // namespace kd::io
