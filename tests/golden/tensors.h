// The files of a golden area that holds tensors: cases.json and tensors.safetensors.
#pragma once

#include <map>
#include <string>

#include "kd/tensor.h"
#include "konfig/value.h"

namespace golden {

using Tensors = std::map<std::string, kd::Tensor>;

// $KD_GOLDEN, or the copy kept in tests/golden.
std::string golden_folder();
bool is_default_folder();

// One area: `load_area("random")` reads <folder>/random.
struct Area {
  konfig::Value document;  // the whole of cases.json
  konfig::List cases;
  Tensors tensors;  // empty when the area has no file of tensors
};
Area load_area(const std::string& name);

std::string read_file(const std::string& path);

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
