// The tensors of golden cases.
#pragma once

#include <map>
#include <string>

#include "kd/core/tensor.h"
#include "konfig/value.h"
#include "tests/golden/walk.h"

namespace golden {

using Tensors = std::map<std::string, kd::Tensor>;

// The tensors of an area: `load_tensors("random")` reads <folder>/random; none without a file.
Tensors load_tensors(const std::string& area);

// The tensor that `{"tensor": name, "stored_as": "uint16 bit pattern of bfloat16"}` describes, with
// the dtype that it stands for. An entry may also hold `data`, `dtype` and `shape` instead.
kd::Tensor tensor_of(const konfig::Dict& entry, const Tensors& tensors);
// The tensors of a map of such entries.
Tensors tensors_of(const konfig::Dict& entries, const Tensors& tensors);

// "float32", "int64", "bool", ... as numpy spells them.
c10::ScalarType dtype_of(const std::string& numpy_name);
std::string numpy_name(c10::ScalarType dtype);

// A number of a case: 1, 1.5, true or the texts "inf", "-inf", "nan".
double number(const konfig::Value& value);
std::vector<std::int64_t> integers(const konfig::Value& list);

}  // namespace golden
