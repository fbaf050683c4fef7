#include "kd/core/dtype_name.h"

#include <utility>

#include "base/join.h"

namespace kd {
namespace {

using c10::ScalarType;

constexpr std::pair<ScalarType, std::string_view> kNames[] = {
    {ScalarType::Float, "float32"},
    {ScalarType::Double, "float64"},
    {ScalarType::Half, "float16"},
    {ScalarType::BFloat16, "bfloat16"},
    {ScalarType::Bool, "bool"},
    {ScalarType::Byte, "uint8"},
    {ScalarType::Char, "int8"},
    {ScalarType::Short, "int16"},
    {ScalarType::Int, "int32"},
    {ScalarType::Long, "int64"},
    {ScalarType::UInt16, "uint16"},
    {ScalarType::UInt32, "uint32"},
    {ScalarType::UInt64, "uint64"},
    {ScalarType::ComplexFloat, "complex64"},
    {ScalarType::ComplexDouble, "complex128"}};

}  // namespace

std::string_view dtype_name(ScalarType dtype) {
  for (auto& [known, name] : kNames) {
    if (known == dtype) return name;
  }
  return c10::toString(dtype);
}

std::optional<ScalarType> dtype_named(std::string_view name) {
  for (auto& [dtype, known] : kNames) {
    if (known == name) return dtype;
  }
  return std::nullopt;
}

std::string spec_text(const Tensor& tensor) {
  return std::string(dtype_name(tensor.scalar_type())) + "[" + base::join(tensor.sizes(), " ") +
         "]";
}

}  // namespace kd
