// Element types in libtorch's terms.
#include "kd/core/dtype.h"

#include <c10/core/ScalarType.h>

#include "konfig/error.h"

namespace kd {

c10::ScalarType scalar_type(DType dtype) {
  using c10::ScalarType;
  switch (dtype) {
    case DType::float32:
      return ScalarType::Float;
    case DType::bfloat16:
      return ScalarType::BFloat16;
    case DType::float16:
      return ScalarType::Half;
    case DType::float64:
      return ScalarType::Double;
    case DType::int8:
      return ScalarType::Char;
    case DType::int16:
      return ScalarType::Short;
    case DType::int32:
      return ScalarType::Int;
    case DType::int64:
      return ScalarType::Long;
    case DType::uint8:
      return ScalarType::Byte;
    case DType::uint16:
      return ScalarType::UInt16;
    case DType::uint32:
      return ScalarType::UInt32;
    case DType::uint64:
      return ScalarType::UInt64;
    case DType::bool_:
      return ScalarType::Bool;
  }
  throw konfig::Error(konfig::ErrorKind::value, "no such element type");
}

}  // namespace kd
